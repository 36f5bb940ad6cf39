extension PostgreSQLConnection {
    /// What the server says of the tables, and whatever else, of a schema whose names begin so: columns, keys and checks, indexes, triggers,
    /// rules. Equal tables have equal lines.
    public func description(
        ofTablesNamed prefix: String, in schema: String
    ) throws(PostgreSQLError) -> [String] {
        let rows = try rows(
            """
            WITH found AS (
                SELECT pg_class.oid, relname::text, relkind::text, relpersistence::text,
                    relrowsecurity
                FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = $1 AND starts_with(relname::text, $2) AND relkind <> 'i'
            ), lines AS (
                SELECT relname || ' ' || relkind || relpersistence
                    || CASE WHEN relrowsecurity THEN ' row security' ELSE '' END AS line
                FROM found
                UNION ALL SELECT relname || ' ' || attnum::text || ' ' || attname::text || ' '
                    || format_type(atttypid, atttypmod)
                    || CASE WHEN collname IS NULL OR collname = 'default' THEN ''
                        ELSE ' COLLATE ' || collname::text END
                    || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
                    || CASE WHEN atthasdef THEN ' DEFAULT' ELSE '' END
                FROM found JOIN pg_attribute ON attrelid = found.oid
                    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
                WHERE attnum > 0 AND NOT attisdropped
                UNION ALL SELECT relname || ' ' || pg_get_constraintdef(pg_constraint.oid)
                FROM found JOIN pg_constraint ON conrelid = found.oid WHERE contype <> 'n'
                UNION ALL SELECT relname || ' ' || pg_get_indexdef(indexrelid)
                FROM found JOIN pg_index ON indrelid = found.oid
                UNION ALL SELECT relname || ' TRIGGER ' || tgname::text
                FROM found JOIN pg_trigger ON tgrelid = found.oid WHERE NOT tgisinternal
                UNION ALL SELECT relname || ' RULE ' || rulename::text
                FROM found JOIN pg_rewrite ON ev_class = found.oid
                UNION ALL SELECT relname || ' INHERITS'
                FROM found JOIN pg_inherits ON found.oid IN (inhrelid, inhparent)
            )
            SELECT line FROM lines ORDER BY line COLLATE "C"
            """, [.text(schema), .text(prefix)])
        var lines: [String] = []
        for row in rows { lines.append(try row.text(at: 0)) }
        return lines
    }
}

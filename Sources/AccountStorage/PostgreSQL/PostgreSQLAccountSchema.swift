internal import Database
internal import VaultStorage

/// The tables of accounts on a server (`Docs/Storage.md`).
enum PostgreSQLAccountSchema: PostgreSQLTableKind {
    static let noun = "user database"
    static let prefix = "account_"
    /// Not one whose rows change: whoever cleans up there would have to wait, or give up.
    static let lockedTable: StaticString = "taskvault.account_version"
    static let versionQuery: StaticString = "SELECT version FROM taskvault.account_version"

    static let migrator = PostgreSQLMigrator(
        schema: "taskvault", versionTable: "account_version",
        [
            PostgreSQLMigrator.Migration(
                version: 1,
                script: """
                    CREATE TABLE taskvault.account_items (
                        id text COLLATE "C" PRIMARY KEY, email text COLLATE "C" NOT NULL,
                        password text COLLATE "C" NOT NULL, created bigint NOT NULL,
                        password_changed bigint NOT NULL, disabled bigint NOT NULL);
                    CREATE TABLE taskvault.account_sessions (
                        id text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL,
                        client text COLLATE "C" NOT NULL, created bigint NOT NULL,
                        refreshed bigint NOT NULL, expires bigint NOT NULL);
                    CREATE TABLE taskvault.account_access_tokens (
                        hash bytea PRIMARY KEY, session text COLLATE "C" NOT NULL,
                        issued bigint NOT NULL, expires bigint NOT NULL);
                    CREATE TABLE taskvault.account_refresh_tokens (
                        hash bytea PRIMARY KEY, session text COLLATE "C" NOT NULL,
                        predecessor bytea, issued bigint NOT NULL, expires bigint NOT NULL,
                        replaced bigint);
                    CREATE TABLE taskvault.account_invitations (
                        code bytea PRIMARY KEY, email text COLLATE "C" NOT NULL,
                        created bigint NOT NULL, expires bigint NOT NULL);
                    CREATE TABLE taskvault.account_attempts (
                        key bytea PRIMARY KEY, failures bigint NOT NULL, next bigint NOT NULL,
                        last bigint NOT NULL);
                    CREATE TABLE taskvault.account_known_places (
                        account text COLLATE "C" NOT NULL, key bytea NOT NULL,
                        last bigint NOT NULL, PRIMARY KEY (account, key));
                    CREATE UNIQUE INDEX account_items_by_email
                        ON taskvault.account_items (email);
                    CREATE INDEX account_sessions_by_account
                        ON taskvault.account_sessions (account, created, id);
                    CREATE INDEX account_sessions_by_expiry
                        ON taskvault.account_sessions (expires);
                    CREATE INDEX account_access_tokens_by_session
                        ON taskvault.account_access_tokens (session);
                    CREATE INDEX account_access_tokens_by_expiry
                        ON taskvault.account_access_tokens (expires);
                    CREATE INDEX account_refresh_tokens_by_session
                        ON taskvault.account_refresh_tokens (session, replaced);
                    CREATE INDEX account_refresh_tokens_by_expiry
                        ON taskvault.account_refresh_tokens (expires);
                    CREATE UNIQUE INDEX account_invitations_by_email
                        ON taskvault.account_invitations (email);
                    CREATE INDEX account_invitations_by_expiry
                        ON taskvault.account_invitations (expires);
                    CREATE INDEX account_attempts_by_time
                        ON taskvault.account_attempts (last, key);
                    CREATE INDEX account_known_places_by_time
                        ON taskvault.account_known_places (last);
                    """),
            PostgreSQLMigrator.Migration(
                version: 2,
                script: """
                    DROP INDEX taskvault.account_access_tokens_by_session;
                    DROP INDEX taskvault.account_refresh_tokens_by_session;
                    CREATE INDEX account_access_tokens_by_session
                        ON taskvault.account_access_tokens (session, issued, hash);
                    CREATE INDEX account_refresh_tokens_by_session
                        ON taskvault.account_refresh_tokens (session, replaced, hash);
                    CREATE TABLE taskvault.account_password_costs (
                        passes bigint NOT NULL, memory bigint NOT NULL, accounts bigint NOT NULL,
                        PRIMARY KEY (passes, memory));
                    CREATE TABLE taskvault.account_secrets (
                        name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
                    INSERT INTO taskvault.account_password_costs (passes, memory, accounts)
                        SELECT split_part(split_part(password, ',t=', 2), ',', 1)::bigint,
                            split_part(split_part(password, '$m=', 2), ',', 1)::bigint, count(*)
                        FROM taskvault.account_items GROUP BY 1, 2;
                    """),
        ])

    static let description = [
        "account_access_tokens 1 hash bytea NOT NULL",
        "account_access_tokens 2 session text COLLATE C NOT NULL",
        "account_access_tokens 3 issued bigint NOT NULL",
        "account_access_tokens 4 expires bigint NOT NULL",
        "account_access_tokens CREATE INDEX account_access_tokens_by_expiry ON taskvault.account_access_tokens USING btree (expires)",
        "account_access_tokens CREATE INDEX account_access_tokens_by_session ON taskvault.account_access_tokens USING btree (session, issued, hash)",
        "account_access_tokens CREATE UNIQUE INDEX account_access_tokens_pkey ON taskvault.account_access_tokens USING btree (hash)",
        "account_access_tokens PRIMARY KEY (hash)",
        "account_access_tokens rp",
        "account_attempts 1 key bytea NOT NULL",
        "account_attempts 2 failures bigint NOT NULL",
        "account_attempts 3 next bigint NOT NULL",
        "account_attempts 4 last bigint NOT NULL",
        "account_attempts CREATE INDEX account_attempts_by_time ON taskvault.account_attempts USING btree (last, key)",
        "account_attempts CREATE UNIQUE INDEX account_attempts_pkey ON taskvault.account_attempts USING btree (key)",
        "account_attempts PRIMARY KEY (key)",
        "account_attempts rp",
        "account_invitations 1 code bytea NOT NULL",
        "account_invitations 2 email text COLLATE C NOT NULL",
        "account_invitations 3 created bigint NOT NULL",
        "account_invitations 4 expires bigint NOT NULL",
        "account_invitations CREATE INDEX account_invitations_by_expiry ON taskvault.account_invitations USING btree (expires)",
        "account_invitations CREATE UNIQUE INDEX account_invitations_by_email ON taskvault.account_invitations USING btree (email)",
        "account_invitations CREATE UNIQUE INDEX account_invitations_pkey ON taskvault.account_invitations USING btree (code)",
        "account_invitations PRIMARY KEY (code)",
        "account_invitations rp",
        "account_items 1 id text COLLATE C NOT NULL",
        "account_items 2 email text COLLATE C NOT NULL",
        "account_items 3 password text COLLATE C NOT NULL",
        "account_items 4 created bigint NOT NULL",
        "account_items 5 password_changed bigint NOT NULL",
        "account_items 6 disabled bigint NOT NULL",
        "account_items CREATE UNIQUE INDEX account_items_by_email ON taskvault.account_items USING btree (email)",
        "account_items CREATE UNIQUE INDEX account_items_pkey ON taskvault.account_items USING btree (id)",
        "account_items PRIMARY KEY (id)",
        "account_items rp",
        "account_known_places 1 account text COLLATE C NOT NULL",
        "account_known_places 2 key bytea NOT NULL",
        "account_known_places 3 last bigint NOT NULL",
        "account_known_places CREATE INDEX account_known_places_by_time ON taskvault.account_known_places USING btree (last)",
        "account_known_places CREATE UNIQUE INDEX account_known_places_pkey ON taskvault.account_known_places USING btree (account, key)",
        "account_known_places PRIMARY KEY (account, key)",
        "account_known_places rp",
        "account_password_costs 1 passes bigint NOT NULL",
        "account_password_costs 2 memory bigint NOT NULL",
        "account_password_costs 3 accounts bigint NOT NULL",
        "account_password_costs CREATE UNIQUE INDEX account_password_costs_pkey ON taskvault.account_password_costs USING btree (passes, memory)",
        "account_password_costs PRIMARY KEY (passes, memory)",
        "account_password_costs rp",
        "account_refresh_tokens 1 hash bytea NOT NULL",
        "account_refresh_tokens 2 session text COLLATE C NOT NULL",
        "account_refresh_tokens 3 predecessor bytea",
        "account_refresh_tokens 4 issued bigint NOT NULL",
        "account_refresh_tokens 5 expires bigint NOT NULL",
        "account_refresh_tokens 6 replaced bigint",
        "account_refresh_tokens CREATE INDEX account_refresh_tokens_by_expiry ON taskvault.account_refresh_tokens USING btree (expires)",
        "account_refresh_tokens CREATE INDEX account_refresh_tokens_by_session ON taskvault.account_refresh_tokens USING btree (session, replaced, hash)",
        "account_refresh_tokens CREATE UNIQUE INDEX account_refresh_tokens_pkey ON taskvault.account_refresh_tokens USING btree (hash)",
        "account_refresh_tokens PRIMARY KEY (hash)",
        "account_refresh_tokens rp",
        "account_secrets 1 name text COLLATE C NOT NULL",
        "account_secrets 2 value bytea NOT NULL",
        "account_secrets CREATE UNIQUE INDEX account_secrets_pkey ON taskvault.account_secrets USING btree (name)",
        "account_secrets PRIMARY KEY (name)",
        "account_secrets rp",
        "account_sessions 1 id text COLLATE C NOT NULL",
        "account_sessions 2 account text COLLATE C NOT NULL",
        "account_sessions 3 client text COLLATE C NOT NULL",
        "account_sessions 4 created bigint NOT NULL",
        "account_sessions 5 refreshed bigint NOT NULL",
        "account_sessions 6 expires bigint NOT NULL",
        "account_sessions CREATE INDEX account_sessions_by_account ON taskvault.account_sessions USING btree (account, created, id)",
        "account_sessions CREATE INDEX account_sessions_by_expiry ON taskvault.account_sessions USING btree (expires)",
        "account_sessions CREATE UNIQUE INDEX account_sessions_pkey ON taskvault.account_sessions USING btree (id)",
        "account_sessions PRIMARY KEY (id)",
        "account_sessions rp",
        "account_version 1 version bigint NOT NULL",
        "account_version rp",
    ]
}

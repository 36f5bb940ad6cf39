// Where output goes, JSON and safe text: one `import Terminal` is enough to print.
@_exported public import TextCoding

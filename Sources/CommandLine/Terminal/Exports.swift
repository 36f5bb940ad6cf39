// Where output goes, JSON and safe text: one `import CommandLine` is enough to print.
@_exported public import TextCoding
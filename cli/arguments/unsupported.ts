/**
 * Features of Pulumi's command line that are not supported yet. They are refused by name and never
 * ignored. An option or command that becomes supported must be removed from these lists.
 */

/** Unsupported options of all operations. */
const operationOptions = [
  '--output <format>',
  '--neo',
  '--neo-task-on-failure',
  '--copilot',
  '--remote',
]

/** Unsupported options of operations that run the program. */
const programOptions = ['--secrets-provider <kind>']

/** Unsupported options, by command. `root`: the global ones. */
export const unsupportedOptions = {
  root: [
    '-e, --emoji',
    '-Q, --fully-qualify-stack-names',
    '--disable-integrity-checking',
    '--logflow',
    '--memprofilerate <rate>',
    '--otel-traces <address>',
    '--profiling <name>',
    '--tracing <address>',
    '--tracing-header <text>',
  ],
  up: [...operationOptions, ...programOptions],
  preview: [...operationOptions, ...programOptions],
  refresh: operationOptions,
  destroy: operationOptions,
  import: ['--generate-resources <file>', '--output <format>'],
  config: ['--open'],
  configSet: ['--type <type>'],
} as const satisfies Record<string, readonly string[]>

/** Unsupported commands, by their parent command. */
export const unsupportedCommands = {
  root: [
    'about',
    'console',
    'convert',
    'do',
    'env',
    'install',
    'logs',
    'new',
    'policy',
    'project',
    'schema',
    'template',
    'watch',
  ],
  package: ['delete', 'gen-sdk', 'get-mapping', 'info', 'pack-sdk', 'publish', 'publish-sdk'],
} as const satisfies Record<string, readonly string[]>

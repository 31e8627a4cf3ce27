/**
 * What Pulumi's command line has and this one has not yet: refused by name, never passed over. An
 * option leaves its list, and a command this file, when it comes.
 */

/** Options of all operations. */
const everyOperation = [
  '--output <format>',
  '--neo',
  '--neo-task-on-failure',
  '--copilot',
  '--remote',
]

/** Options of operations that run the program. */
const programOperation = ['--secrets-provider <kind>']

/** Options that are not there yet, by command. */
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
  up: [...everyOperation, ...programOperation],
  preview: [...everyOperation, ...programOperation],
  refresh: everyOperation,
  destroy: everyOperation,
  import: ['--from <converter>', '--generate-resources <file>', '--output <format>'],
  stackInit: ['--copy-config-from <stack>', '--teams <team>', '--remote-config'],
  stackLs: ['-o, --organization <name>', '-t, --tag <tag>'],
  stackHistory: ['--full-dates'],
  config: ['--open'],
  configSet: ['--type <type>'],
} as const satisfies Record<string, readonly string[]>

/** Commands that are not there yet. */
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
    'org',
    'package',
    'policy',
    'project',
    'schema',
    'template',
    'watch',
  ],
  stack: ['change-secrets-provider', 'graph', 'tag', 'unselect'],
  state: ['edit', 'upgrade'],
  config: ['cp', 'env', 'refresh'],
} as const satisfies Record<string, readonly string[]>

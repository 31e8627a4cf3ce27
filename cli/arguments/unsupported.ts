/**
 * Features of Pulumi's command line that are not supported. They are refused by name, with a
 * substitute, and never ignored. An option or command that becomes supported must be removed from
 * these lists.
 */

/** Unsupported options of all operations. */
const operationOptions = [
  '--override-env <replacement>',
  '--neo',
  '--neo-task-on-failure',
  '--copilot',
  '--remote',
]

/** Unsupported options of operations that run the program. */
const programOptions = ['--show-policy-exceptions']

/** Unsupported options, by command. `root`: the global ones. */
export const unsupportedOptions = {
  root: [
    '-Q, --fully-qualify-stack-names',
    '--disable-integrity-checking',
    '--otel-traces <address>',
    '--profiling <name>',
    '--tracing <address>',
    '--tracing-header <text>',
  ],
  up: [...operationOptions, ...programOptions],
  preview: [...operationOptions, ...programOptions],
  watch: [...operationOptions, ...programOptions, '--output <format>'],
  refresh: operationOptions,
  destroy: operationOptions,
  import: ['--generate-resources <file>'],
  config: ['--open'],
  convert: ['--mappings <files>'],
  install: ['--use-language-version-tools'],
  genSdk: ['--overlays <folder>', '--server <address>'],
  new: ['--runtime-options <options>'],
  login: [
    ...['--credential-helper <command>', '--credential-helper-arg <argument>', '--insecure'],
    ...['--interactive', '--oidc-expiration <duration>', '--oidc-org <name>'],
    ...['--oidc-team <name>', '--oidc-user <name>'],
  ],
  logout: ['--delete-credentials-key'],
  aboutCommand: ['-t, --transitive'],
} as const satisfies Record<string, readonly string[]>

const helperHint = 'Set ANTICHAIN_TOKEN to the output of the command.'
const oidcHint = 'Pass --audience and --rule; the federation rule decides role and lifetime.'
const exceptionsHint =
  'Not needed here: exceptions are records of Pulumi Cloud, and packs have none.'
const neoHint = 'Not available: Neo is an agent of Pulumi Cloud.'
const tracingHint =
  'Set OTEL_EXPORTER_OTLP_ENDPOINT to a collector with OTLP over HTTP, such as http://localhost:4318.'

/** The substitute of each unsupported option. */
export const optionSubstitutes: Readonly<Record<string, string>> = {
  '--output': 'Pass --json.',
  '--override-env':
    'Change the imports of the stack with `antichain config env add` and `config env rm`.',
  '--show-policy-exceptions': exceptionsHint,
  '--neo': neoHint,
  '--neo-task-on-failure': neoHint,
  '--copilot': neoHint,
  '--remote':
    'Log in to an API with `antichain login`; its servers then run the operations of this command.',
  '--fully-qualify-stack-names': 'Read the whole names from `antichain about`.',
  '--disable-integrity-checking': 'Repair the state with `antichain state repair`.',
  '--otel-traces': tracingHint,
  '--profiling':
    'Show where the time of a deployment went with `antichain deployment show`, and details with -v.',
  '--tracing': tracingHint,
  '--tracing-header': tracingHint,
  '--generate-resources': 'Write the file with `antichain preview --import-file <file>`.',
  '--use-language-version-tools': 'Install the language with its own tool first.',
  '--runtime-options': 'Write them into the project file, below `runtime`.',
  '--transitive': 'List them with the package manager, such as `npm ls --all`.',
  '--credential-helper': helperHint,
  '--credential-helper-arg': helperHint,
  '--insecure': 'Set NODE_EXTRA_CA_CERTS to the certificate of the server.',
  '--interactive': 'Pass the address of the API or backend.',
  '--oidc-expiration': oidcHint,
  '--oidc-org': oidcHint,
  '--oidc-team': oidcHint,
  '--oidc-user': oidcHint,
  '--delete-credentials-key': 'Not needed here: no key is in the store of the system.',
  '--overlays': 'Copy the files into the folder of the SDK.',
  '--server': 'Run `antichain plugin install resource <name> <version> --server <address>` first.',
  '--mappings': 'Install the plugin of each provider, which contains its mapping.',
  '--open': 'Not needed here: environments are readable files in the folder `environments`.',
}

const analyzeHint = 'Run `antichain preview` with --policy-pack.'
const findingsHint =
  'Not available: it belongs to Pulumi Cloud. The result of each operation has the findings.'
const attachHint = 'Attach packs to stacks, projects or tags: `antichain policy attach <folder>`.'
const detachHint = 'Run `antichain policy detach <name>`.'
const registryHint = 'Publish the SDK or plugin with the registry of its language.'

/** Unsupported commands by their parent command, each with its substitute. */
export const unsupportedCommands = {
  root: {
    api: 'Send the request with an HTTP client; docs/api.md has the routes.',
    do: 'Write the resource into a program, and run `antichain up`.',
    env: 'Write environments as files below `environments/`, and use `antichain config env` (docs/operations.md).',
    insights: 'Search the resources of all stacks with `antichain query`.',
    logs: 'Not needed here: no log files are written. Pass -v, or run `antichain deployment show`.',
    neo: neoHint,
    schema: 'Run `pulumi schema check`.',
    template: 'Run `antichain new --list-templates`.',
  },
  deployment: {
    cancel: 'Run `antichain cancel`.',
    get: 'Run `antichain deployment show <number>`.',
    list: 'Run `antichain stack history`.',
    log: 'Run `antichain stack history events <number>`.',
    run: 'Run `antichain up` with a login to an API, or create a webhook or schedule.',
    settings: 'Create a webhook with rules: `antichain webhook create` (docs/triggers.md).',
  },
  org: {
    'audit-log': 'Run `antichain audit ls`.',
    member: 'Manage tokens with `antichain token`.',
    role: 'Choose the role of a token: `antichain token create --role`.',
    search: 'Run `antichain query`.',
    usage: 'Run `antichain query`.',
    webhook: 'Run `antichain notification create`, or `antichain stack webhook new`.',
  },
  policy: {
    analyze: analyzeHint,
    compliance: findingsHint,
    disable: detachHint,
    enable: attachHint,
    exception: exceptionsHint,
    get: 'Run `antichain policy ls`.',
    group: attachHint,
    issue: findingsHint,
    publish: attachHint,
    remove: detachHint,
    rm: detachHint,
    install: 'Run `antichain install` in the folder of the pack.',
    'validate-config': 'Run `antichain preview` with --policy-pack and --policy-pack-config.',
  },
  package: {
    delete: 'Remove it at the registry of its language.',
    'get-mapping': 'Not needed here: Terraform providers are called without a bridge.',
    new: 'Write the files of the package; docs/tutorials/provider.md shows how.',
    'pack-sdk': registryHint,
    publish: registryHint,
    'publish-sdk': registryHint,
    remove: 'Remove the entry from `packages` of the project file, and its folder below `sdks`.',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

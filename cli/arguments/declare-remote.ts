import { type Command, Option } from 'commander'
import { roles } from '../../shared/api/authorization.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { collectValues } from './flags.ts'
import { addJsonOptions } from './output-option.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares the commands for an API, such as `login`, `console`, `deploy` and `token`. */
export function declareRemote(root: Command, attach: Attach): void {
  attach(
    root
      .command('login')
      .argument(
        '[address]',
        'URL of the API or backend, such as https://antichain.example.com or s3://acme-state',
      )
      .description(
        'Use an API or a self-managed backend (file://, s3://, gs://, azblob://), not this machine',
      )
      .option('-l, --local', 'Use the backend file://~')
      .option('-c, --cloud-url <address>', 'Address, instead of the argument')
      .option('--default-org <name>', 'Organization of stack names, which is always the same')
      .option('--token <token>', 'API token (default: ANTICHAIN_TOKEN, or a prompt)')
      .option('--oidc', 'Exchange the OIDC token of a CI job for an API token')
      .option(
        '--oidc-token-file <file>',
        'File with the OIDC token, or - for standard input (default: ANTICHAIN_OIDC_TOKEN, or GitHub Actions)',
      )
      .option('--audience <text>', 'Audience of the OIDC token (default: the address)')
      .option('--rule <name>', 'Federation rule, if several admit the OIDC token')
      .option('--oidc-token <token>', 'OIDC token, or file://<path>'),
    async () => (await import('../commands/login.ts')).login,
    unsupportedOptions.login,
  )
  attach(
    root
      .command('logout')
      .argument('[address]', 'Address of the login (default: the current one)')
      .description('Log out and use the stacks of this machine again')
      .option('--all', 'No effect: there is one login')
      .option('-l, --local', 'Log out of the backend file://~ only')
      .option('-c, --cloud-url <address>', 'Log out of this address only'),
    async () => (await import('../commands/login.ts')).logout,
    unsupportedOptions.logout,
  )
  attach(
    addJsonOptions(
      root.command('whoami').description('Show the current login and its permissions'),
    ),
    async () => (await import('../commands/whoami.ts')).whoami,
  )
  attach(
    root
      .command('console')
      .description('Open the dashboard of the API of the current login, at the selected stack'),
    async () => (await import('../commands/console.ts')).openConsole,
  )
  declareOrganization(root, attach)
  attach(
    root
      .command('deploy')
      .description(
        'Upload the program of a stack for webhooks and schedules, without deploying it',
      ),
    async () => (await import('../commands/deploy.ts')).uploadProgram,
  )
  declareTokens(root, attach)
}

/** Declares `org` with the commands that scripts and the SDKs of Pulumi run. */
function declareOrganization(root: Command, attach: Attach): void {
  const load = () => import('../commands/org.ts')
  const organization = root
    .command('org')
    .description('Show the organization of stack names, which is always the same')
  attach(organization, async () => (await load()).showOrganization)
  attach(
    organization.command('get-default').description('Print the organization of stack names'),
    async () => (await load()).printDefaultOrganization,
  )
  attach(
    organization
      .command('set-default')
      .argument('<name>', 'Name of the organization')
      .description('Check the name of the organization'),
    async () => (await load()).setDefaultOrganization,
  )
  declareUnsupportedCommands(organization, unsupportedCommands.org)
}

function declareTokens(root: Command, attach: Attach): void {
  const token = root.command('token').description('Manage API tokens')
  attach(
    token
      .command('create')
      .argument('[name]', 'Name of the token (default: its role)')
      .description('Create a token and print it once')
      .option('--admin', 'Create an admin token in the store of this machine, instead of --role')
      .addOption(new Option('--role <role>', 'Role of the token').choices(roles))
      .option(
        '--for <project/stack>',
        'Limit the token to a stack, or to project/* (repeatable)',
        collectValues,
      )
      .option('--days <number>', 'Days until the token expires, or never (default: 90)')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/token.ts')).createApiToken,
  )
  attach(
    token.command('ls').alias('list').description('List tokens').option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/token.ts')).listTokens,
  )
  attach(
    token
      .command('rotate')
      .argument('<id>', 'Id or name of the token')
      .description('Give a token a new secret and print it once')
      .option('--overlap <duration>', 'Time for which earlier secrets remain valid (default: 10m)')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/token.ts')).rotateApiToken,
  )
  attach(
    token
      .command('revoke')
      .argument('<id>', 'Id or name of the token')
      .alias('rm')
      .description('Revoke a token'),
    async () => (await import('../commands/token.ts')).revokeToken,
  )
}

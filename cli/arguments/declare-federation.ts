import { type Command, Option } from 'commander'
import { roles } from '../../shared/api/authorization.ts'
import type { Attach } from './handler.ts'
import { collectValues } from './flags.ts'

/** Declares `federation`: the rules by which jobs of CI systems get tokens. */
export function declareFederation(root: Command, attach: Attach): void {
  const federation = root
    .command('federation')
    .description('Manage the rules by which CI jobs log in with OIDC tokens')
  attach(
    federation
      .command('create')
      .argument('<name>', 'Name of the rule, new or existing')
      .description('Create or update a federation rule')
      .requiredOption('--issuer <url>', 'URL of the OIDC issuer, or github, or gitlab')
      .requiredOption(
        '--claim <name=pattern>',
        'Claim of the OIDC token that must match; *, ** and ? are wildcards (repeatable)',
        collectValues,
      )
      .addOption(
        new Option('--role <role>', 'Role of the tokens').choices(roles).makeOptionMandatory(),
      )
      .option(
        '--for <project/stack>',
        'Limit the tokens to a stack, or to project/* (repeatable)',
        collectValues,
      )
      .option(
        '--audience <text>',
        'Audience of the OIDC token (default: the URL that `antichain login` saved)',
      )
      .option('--lifetime <duration>', 'Lifetime of the tokens, at most 12h (default: 1h)')
      .option('--paused', 'Pause the rule'),
    async () => (await import('../commands/federation.ts')).createFederationRule,
  )
  const loadCommands = async () => (await import('../commands/federation.ts')).federationCommands
  attach(
    federation
      .command('ls')
      .alias('list')
      .description('List federation rules')
      .option('-j, --json', 'Print JSON'),
    async () => (await loadCommands()).ls,
  )
  attach(
    federation
      .command('show')
      .argument('<name>', 'Name of the rule')
      .description('Show a federation rule'),
    async () => (await loadCommands()).show,
  )
  attach(
    federation
      .command('rm')
      .argument('<name>', 'Name of the rule')
      .alias('remove')
      .description('Remove a federation rule'),
    async () => (await loadCommands()).rm,
  )
}

/** Commands of Pulumi's command line that run on a stack of a server and on one in a folder. */

/** Returns the URN of a resource of the compared stack `dev`. `parents`: the types of its parents. */
export const comparedUrnOf = (name: string, parents = ''): string =>
  `urn:pulumi:dev::small::${parents}gold:index:Thing::${name}`
const [a, c] = [comparedUrnOf('a'), comparedUrnOf('c')]
const b = comparedUrnOf('b', 'gold:index:Thing$')

/** A command with the variables in front of it, and how its output is compared. */
export interface ComparedCommand {
  readonly command: string
  /** `both`: output and exit code are the same. `exit`: only the exit code is. */
  readonly same?: 'both' | 'exit'
  readonly env?: Readonly<Record<string, string>>
  /** The exit code of the newest version. Default: 0. */
  readonly exit?: number
}

const both = (...commands: readonly string[]): readonly ComparedCommand[] =>
  commands.map(command => ({ command, same: 'both' }))

/** Commands that run no program: configuration, outputs and edits of the state. */
export const stateCommands: readonly ComparedCommand[] = [
  ...both(
    'config set-all --plaintext w=2 --secret t=hid --path --plaintext l[0]=x',
    'config --json --show-secrets',
    'config get t',
    'config rm-all w l --path',
    'stack init other',
    'stack select dev',
    'config cp --dest other t',
    'config --json --show-secrets -s other',
    'stack output --json',
    'stack output --json --show-secrets',
    'stack output --shell',
    'stack graph graph.dot',
    `state protect ${a} --yes`,
    `state unprotect ${a} --yes`,
    'state unprotect --all --yes',
    `state taint ${c} --yes`,
    `state untaint ${c} --yes`,
    `state rename ${a} renamed --yes`,
    `state rename ${comparedUrnOf('renamed')} a --yes`,
    `state get ${c} --output json`,
  ),
  { command: `state delete ${b} --yes`, same: 'both', exit: 1 },
  { command: `state move ${c} --source dev --dest other --yes --include-parents`, same: 'exit' },
  ...both(`state delete ${c.replace('dev', 'other')} --yes -s other`),
  { command: 'stack rm --yes other', same: 'exit', exit: 1 },
  ...both('stack rm --yes --force other', 'stack select dev'),
  ...both(`state delete ${b} --yes`, 'state repair --yes'),
  { command: 'state edit', same: 'both', exit: 1 },
  ...both('stack export --file state.json', 'stack import --file state.json'),
  // The import is later than the update, and has no configuration.
  ...both('config refresh --force', 'config --json --show-secrets'),
]

/** Commands for tags, which a folder lacks in older versions. */
export const tagCommands: readonly ComparedCommand[] = both(
  'stack tag set team red',
  'stack tag get team',
  'stack tag rm team',
)

/** Commands that the server has, and that a folder refuses or answers in another way. */
export const serverCommands: readonly ComparedCommand[] = [
  { command: 'whoami -v' },
  { command: 'whoami --json' },
  { command: 'org get-default' },
  { command: 'stack tag ls --json' },
  { command: 'stack ls --all --tag pulumi:project=small' },
  { command: 'stack history --json --page-size 3' },
  { command: 'stack --show-urns --show-ids' },
  { command: 'stack get --output json' },
  { command: 'config env ls' },
  { command: 'state upgrade --yes' },
  { command: 'policy ls' },
  { command: 'policy group ls' },
  { command: 'project list --output json' },
  { command: 'console' },
  { command: 'logs list' },
  { command: 'about --json' },
  // No update runs.
  { command: 'cancel --yes', exit: 1 },
]

const withPlans = { PULUMI_EXPERIMENTAL: 'true' }
const operation = (command: string, step: string, others: object = {}): ComparedCommand => ({
  command,
  same: 'exit',
  env: { STEP: step },
  ...others,
})

/** Operations that need no program. */
export const programlessOperations: readonly ComparedCommand[] = [
  operation(`destroy --yes --skip-preview --target ${comparedUrnOf('d')} --target-dependents`, '1'),
  operation(
    'import gold:index:Thing found found-1 --yes --skip-preview --protect=false --generate-code=false',
    '1',
  ),
]

/** Operations that run the program. */
export const programOperations: readonly ComparedCommand[] = [
  operation('up --yes --skip-preview --refresh', '1'),
  operation('preview --save-plan plan.json', '2', { env: { STEP: '2', ...withPlans } }),
  operation('up --yes --skip-preview --plan plan.json', '2', { env: { STEP: '2', ...withPlans } }),
  operation(`up --yes --skip-preview --target ${b}`, '3'),
  operation(`up --yes --skip-preview --exclude ${c}`, '4'),
  operation(`destroy --yes --skip-preview --target ${b}`, '4', { exit: 1 }),
]

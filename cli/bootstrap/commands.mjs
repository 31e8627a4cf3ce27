/**
 * The commands that package.json's scripts name. Each gets its words and answers an exit status.
 */
import { join, resolve } from 'node:path'
import { check } from './check.mjs'
import { runChild } from './child.mjs'
import { antichain, ourEnvironment, ourNode, programs, root } from './places.mjs'
import { makeCode, prepare } from './prepare.mjs'
import { start } from './quickstart.mjs'
import { failure, say } from './saying.mjs'
import { cloud, emulators, runTier } from './tests.mjs'

const commands = new Map([
  ['start', start],
  ['test', words => runTier('readme', words)],
  ['test:full', words => runTier('full', words)],
  ['test:aws', words => runTier('aws', words)],
  ['nightly', words => runTier('nightly', words)],
  ['emulators', startEmulators],
  ['cloud', startCloud],
  ['check', check],
  ['gen', gen],
  ['bench', bench],
  ['golden', golden],
  ['sim', words => script('sim', words)],
  ['mutations', words => script('mutations', words)],
  ['synth', synth],
])

export async function run(name, words) {
  const command = commands.get(name)
  if (command !== undefined) return command(words)
  throw failure(
    `there is no command '${name ?? ''}'`,
    `give one of ${[...commands.keys()].join(', ')}`,
  )
}

async function gen(words) {
  await prepare()
  if (words.includes('--force')) makeCode()
  else say('protobuf code is up to date')
  return 0
}

async function bench(words) {
  await prepare(programs)
  return runChild(ourNode, [join(root, 'bench', 'main.ts'), ...words])
}

/**
 * Runs golden cases against our command: all of the project's, or with `--cases DIR` those of any
 * folder of the same form; further words go to the runner.
 */
async function golden(words) {
  await prepare(programs)
  const folder = join(root, 'test', 'golden')
  const env = ourEnvironment({ ANTICHAIN_TIER: 'all', GOLD_NODE: ourNode })
  if (words.length === 0) return runChild(ourNode, [join(folder, 'run-tier.mjs')], { env })
  const at = words.indexOf('--cases')
  const from = process.env.INIT_CWD ?? process.cwd()
  const cases = at < 0 ? join(folder, 'cases') : resolve(from, words[at + 1] ?? '')
  const rest = at < 0 ? words : words.filter((_word, place) => place !== at && place !== at + 1)
  const own = ['--cli', antichain, '--cases', cases]
  const modules = join(root, 'test', 'fixtures', 'sdk', 'node_modules')
  const runner = [join(folder, 'run.mjs'), ...own, '--node-modules', modules, ...rest]
  return runChild(ourNode, runner, { env })
}

async function startEmulators(words) {
  await prepare()
  return runChild(ourNode, [emulators, ...words])
}

async function startCloud(words) {
  await prepare()
  return runChild(ourNode, [cloud, ...words])
}

/**
 * Writes the CloudFormation templates of an installation on AWS; `words` go to `cdk synth`. Needs
 * neither an account nor a network nor an image builder. Entries that are not there are named.
 */
async function synth(words) {
  await prepare()
  const env = ourEnvironment({
    ANTICHAIN_ASSETS: process.env.ANTICHAIN_ASSETS ?? 'existing',
    // Nothing is looked up: asking the machine for credentials would only take its time.
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  })
  const region = process.env.AWS_REGION ?? 'us-east-1'
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk')
  const context = ['--context', `antichain:region=${region}`]
  const status = await runChild(ourNode, [cdk, 'synth', '--quiet', ...context, ...words], { env })
  if (status === 0) say('templates are in .cache/cdk.out')
  return status
}

/** Runs what a folder of tests has to say beside its tests. */
async function script(folder, words) {
  await prepare()
  return runChild(ourNode, [join(root, 'test', folder, 'main.ts'), ...words])
}

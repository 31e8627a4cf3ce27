/**
 * The commands that the scripts of package.json name. Each command gets its arguments and returns
 * an exit status.
 */
import { join, resolve } from 'node:path'
import { runChecks } from './check.mjs'
import { buildDocs } from './docs.mjs'
import { writePackage } from './package.mjs'
import { runChild } from './run-child.mjs'
import {
  antichainPath,
  createProjectVariables,
  projectNode,
  programFolders,
  root,
} from './paths.mjs'
import { generateCode, prepare } from './prepare.mjs'
import { runQuickstart } from './quickstart.mjs'
import { createBootstrapFailure, printProgress } from './messages.mjs'
import { cloudScript, emulatorsScript, runTier } from './run-tests.mjs'

const commands = new Map([
  ['start', runQuickstart],
  ['test', args => runTier('readme', args)],
  ['test:full', args => runTier('full', args)],
  ['test:aws', args => runTier('aws', args)],
  ['nightly', args => runTier('nightly', args)],
  ['emulators', startEmulators],
  ['cloud', startCloud],
  ['check', runChecks],
  ['docs', buildDocs],
  ['gen', generateProtobufCode],
  ['bench', bench],
  ['package', writePackage],
  ['golden', args => runGoldenCases('golden', args)],
  ['tfgolden', args => runGoldenCases('tfgolden', args)],
  ['sim', args => runScript('sim', args)],
  ['fuzz', args => runScript('fuzz', args)],
  ['mutations', args => runScript('mutations', args)],
  ['synth', synth],
])

/** Runs the command with this name, and returns its exit status. */
export async function run(name, args) {
  const command = commands.get(name)
  if (command !== undefined) return command(args)
  throw createBootstrapFailure(
    `unknown command '${name ?? ''}'`,
    `use one of ${[...commands.keys()].join(', ')}`,
  )
}

async function generateProtobufCode(args) {
  await prepare()
  if (args.includes('--force')) generateCode()
  else printProgress('protobuf code is up to date')
  return 0
}

async function bench(args) {
  await prepare(programFolders)
  return runChild(projectNode, [join(root, 'bench', 'main.ts'), ...args])
}

/**
 * Runs golden cases against this command line: all cases of the test folder, or with `--cases DIR`
 * those of another folder of the same format. Further arguments are passed to the runner.
 */
async function runGoldenCases(testFolder, args) {
  await prepare(programFolders)
  const folder = join(root, 'test', testFolder)
  const env = createProjectVariables({ ANTICHAIN_TIER: 'all', GOLD_NODE: projectNode })
  if (args.length === 0) return runChild(projectNode, [join(folder, 'run-tier.mjs')], { env })
  const casesIndex = args.indexOf('--cases')
  const callerFolder = process.env.INIT_CWD ?? process.cwd()
  const casesFolder =
    casesIndex < 0 ? join(folder, 'cases') : resolve(callerFolder, args[casesIndex + 1] ?? '')
  const otherArgs =
    casesIndex < 0
      ? args
      : args.filter((_arg, index) => index !== casesIndex && index !== casesIndex + 1)
  const nodeModules = join(root, 'test', 'fixtures', 'sdk', 'node_modules')
  const fixedArgs = ['--cli', antichainPath, '--cases', casesFolder, '--node-modules', nodeModules]
  return runChild(projectNode, [join(folder, 'run.mjs'), ...fixedArgs, ...otherArgs], { env })
}

async function startEmulators(args) {
  await prepare()
  return runChild(projectNode, [emulatorsScript, ...args])
}

async function startCloud(args) {
  await prepare()
  return runChild(projectNode, [cloudScript, ...args])
}

/**
 * Writes the CloudFormation templates of an installation on AWS. The arguments are passed to `cdk
 * synth`. The command requires neither an account nor a network nor an image builder. It reports
 * functions whose entry file is missing.
 */
async function synth(args) {
  await prepare()
  const env = createProjectVariables({
    ANTICHAIN_ASSETS: process.env.ANTICHAIN_ASSETS ?? 'existing',
    // The templates need no credentials, so a request to the metadata service would waste time.
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  })
  const region = process.env.AWS_REGION ?? 'us-east-1'
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk')
  const context = ['--context', `antichain:region=${region}`]
  const status = await runChild(projectNode, [cdk, 'synth', '--quiet', ...context, ...args], {
    env,
  })
  if (status === 0) printProgress('templates were written to .cache/cdk.out')
  return status
}

/** Runs the main program of a test folder. */
async function runScript(folder, args) {
  await prepare()
  return runChild(projectNode, [join(root, 'test', folder, 'main.ts'), ...args])
}

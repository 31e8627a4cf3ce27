/** `npm start`: deploys the quickstart with the regular command line. */
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { antichainPath, createProjectVariables, quickstartFolder, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress } from './messages.mjs'

/** The quickstart contains no real secrets. Other stacks need their own passphrase. */
const demoPassphrase = 'antichain-quickstart'
const stack = 'dev'

/**
 * Deploys the quickstart, with any options. `destroy` deletes its resources. Any other command is
 * passed to antichain in the folder of the quickstart.
 */
export async function runQuickstart(args) {
  await prepare([quickstartFolder])
  const env = createProjectVariables(createPassphraseVariables())
  const folderArgs = ['-C', join(root, quickstartFolder)]
  const operationArgs = operationArgsOf(args)
  if (operationArgs === undefined) return runChild(antichainPath, [...folderArgs, ...args], { env })
  const selectArgs = [...folderArgs, 'stack', 'select', '--create', stack]
  const selectStatus = await runChild(antichainPath, selectArgs, { env, quiet: true })
  if (selectStatus !== 0) return selectStatus
  return runChild(antichainPath, [...folderArgs, '--stack', stack, ...operationArgs], { env })
}

/** Returns the arguments of `up` or `destroy` without prompts, or undefined for other commands. */
function operationArgsOf(args) {
  const [command = '', ...otherArgs] = args
  if (command === '' || command.startsWith('-')) return ['up', '--yes', '--skip-preview', ...args]
  if (command === 'destroy') return ['destroy', '--yes', '--skip-preview', ...otherArgs]
  return undefined
}

function createPassphraseVariables() {
  const { env } = process
  if ('PULUMI_CONFIG_PASSPHRASE' in env || 'PULUMI_CONFIG_PASSPHRASE_FILE' in env) return {}
  printProgress(
    `secrets are encrypted with the demo passphrase: PULUMI_CONFIG_PASSPHRASE=${demoPassphrase}`,
  )
  return { PULUMI_CONFIG_PASSPHRASE: demoPassphrase }
}

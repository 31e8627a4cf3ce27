/** `npm start`: deploys the quickstart with the regular command line. */
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { antichain, createProjectVariables, quickstart, root } from './paths.mjs'
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
  await prepare([quickstart])
  const env = createProjectVariables(passphraseVariables())
  const folderArgs = ['-C', join(root, quickstart)]
  const operation = operationOf(args)
  if (operation === undefined) return runChild(antichain, [...folderArgs, ...args], { env })
  const selectArgs = [...folderArgs, 'stack', 'select', '--create', stack]
  const selectStatus = await runChild(antichain, selectArgs, { env, quiet: true })
  if (selectStatus !== 0) return selectStatus
  return runChild(antichain, [...folderArgs, '--stack', stack, ...operation], { env })
}

/** Returns `up` or `destroy` without prompts, or undefined for any other command. */
function operationOf(args) {
  const [command = '', ...otherArgs] = args
  if (command === '' || command.startsWith('-')) return ['up', '--yes', '--skip-preview', ...args]
  if (command === 'destroy') return ['destroy', '--yes', '--skip-preview', ...otherArgs]
  return undefined
}

function passphraseVariables() {
  const { env } = process
  if ('PULUMI_CONFIG_PASSPHRASE' in env || 'PULUMI_CONFIG_PASSPHRASE_FILE' in env) return {}
  printProgress(
    `secrets are encrypted with the demo passphrase: PULUMI_CONFIG_PASSPHRASE=${demoPassphrase}`,
  )
  return { PULUMI_CONFIG_PASSPHRASE: demoPassphrase }
}

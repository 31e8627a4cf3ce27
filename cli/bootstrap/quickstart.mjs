/** `npm start`: the quickstart, deployed by the command line that everybody uses. */
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { antichain, createOwnVariables, quickstart, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { printProgress } from './messages.mjs'

/**
 * Nothing of the quickstart is worth a secret; a stack of your own gets a passphrase of your own.
 */
const demoPassphrase = 'antichain-quickstart'
const stack = 'dev'

/**
 * Deploys; `destroy` removes everything; other words go to antichain in the quickstart's folder.
 */
export async function runQuickstart(args) {
  await prepare([quickstart])
  const env = createOwnVariables(passphraseVariables())
  const at = ['-C', join(root, quickstart)]
  const operation = operationOf(args)
  if (operation === undefined) return runChild(antichain, [...at, ...args], { env })
  const select = [...at, 'stack', 'select', '--create', stack]
  const selected = await runChild(antichain, select, { env, quiet: true })
  if (selected !== 0) return selected
  return runChild(antichain, [...at, '--stack', stack, ...operation], { env })
}

/**
 * The operation that the words mean, without questions; undefined when they mean something else.
 */
function operationOf(args) {
  const [word = '', ...others] = args
  if (word === '' || word.startsWith('-')) return ['up', '--yes', '--skip-preview', ...args]
  if (word === 'destroy') return ['destroy', '--yes', '--skip-preview', ...others]
  return undefined
}

function passphraseVariables() {
  const { env } = process
  if ('PULUMI_CONFIG_PASSPHRASE' in env || 'PULUMI_CONFIG_PASSPHRASE_FILE' in env) return {}
  printProgress(
    `secrets are sealed under the demo passphrase: PULUMI_CONFIG_PASSPHRASE=${demoPassphrase}`,
  )
  return { PULUMI_CONFIG_PASSPHRASE: demoPassphrase }
}

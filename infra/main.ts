/**
 * infra: the resources of an installation on AWS, as a CDK app. Imports the error catalogue, and
 * names and limits from shared/config. It imports no code that runs in functions, and knows
 * functions only by the paths of their entries. The app makes no lookups, so it works without an
 * account.
 *
 * Invariants: a function has exactly the permissions of its row in functions-table.ts. Durable
 * resources are in a stack of their own, and remain when the installation is deleted. No idle
 * resource is billed by the hour.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeployError, messageOf } from '../shared/errors/error.ts'
import { createApp } from './app.ts'
import { type AssetMode, createAssets } from './assets.ts'

const modes: readonly AssetMode[] = ['all', 'existing', 'none']
const requestedMode = process.env['ANTICHAIN_ASSETS'] ?? 'all'
const mode = modes.find(assetMode => assetMode === requestedMode)

try {
  if (mode === undefined)
    throw new Error(`ANTICHAIN_ASSETS must be one of ${modes.join(', ')}, not '${requestedMode}'`)
  // The assembly copies the bundles, so that the folder can be removed at the end.
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bundles-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const assets = createAssets(mode, folder)
  const { app } = createApp({ cdkNag: 'with-exceptions' }, () => assets)
  app.synth()
  for (const entry of assets.missingEntries)
    process.stderr.write(`the entry ${entry} is missing: its function is empty in this template\n`)
} catch (thrown) {
  const isDeployError = thrown instanceof DeployError
  const text = isDeployError
    ? `error[${thrown.code}]: ${thrown.message}\n  hint: ${thrown.hint}`
    : messageOf(thrown)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

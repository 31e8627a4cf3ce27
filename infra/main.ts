/**
 * infra: what an installation on AWS consists of, as a CDK app. Imports names and limits of
 * shared/config and the catalogue of errors, and nothing of what runs in the functions: these it
 * knows by the paths of their entries. Looks nothing up, so that it works without an account.
 *
 * Invariants: a function may do what its row of functions-table.ts says and nothing else; what is
 * durable is in a stack of its own and is removed by nobody; nothing here costs by the hour.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeployError, messageOf } from '../shared/errors/error.ts'
import { createApp } from './app.ts'
import { type AssetMode, createAssets } from './assets.ts'

const modes: readonly AssetMode[] = ['all', 'existing', 'none']
const requestedMode = process.env['ANTICHAIN_ASSETS'] ?? 'all'
const mode = modes.find(each => each === requestedMode)

try {
  if (mode === undefined)
    throw new Error(`ANTICHAIN_ASSETS is '${requestedMode}', not ${modes.join(', ')}`)
  // The assembly copies what it needs, so that the folder can go at the end.
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bundles-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const assets = createAssets(mode, folder)
  const { app } = createApp({ nag: 'argued' }, () => assets)
  app.synth()
  for (const entry of assets.absent)
    process.stderr.write(`${entry} is not there: its function stands empty in this template\n`)
} catch (thrown) {
  const known = thrown instanceof DeployError
  const text = known
    ? `error[${thrown.code}]: ${thrown.message}\n  what to do: ${thrown.hint}`
    : messageOf(thrown)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

/** Starts dynoxide, an emulator of DynamoDB, for a suite. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../find-free-port.ts'

/** A running DynamoDB emulator. */
export interface Dynoxide {
  readonly endpoint: string
  readonly close: () => Promise<void>
}

/** Time in which the emulator must answer after its start. */
const startMaxMs = 10_000

const binary = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'antichain/emulators/dynoxide-3.2.0/bin/dynoxide',
)

/**
 * Reports whether an emulator is available: a running one (ANTICHAIN_DYNAMODB_ENDPOINT), or the
 * binary. If not, prints a message, or throws an error with CI=true.
 */
export function hasDynoxide(): boolean {
  if (process.env['ANTICHAIN_DYNAMODB_ENDPOINT'] !== undefined || existsSync(binary)) return true
  const message = `dynoxide is not installed at ${binary}`
  if (process.env['CI'] === 'true') throw new Error(message)
  console.warn(`NOT RUN: suites against DynamoDB: ${message}`)
  return false
}

/** Starts an emulator on a free port, or uses the running one. */
export async function openDynoxide(): Promise<Dynoxide> {
  const configured = process.env['ANTICHAIN_DYNAMODB_ENDPOINT']
  if (configured !== undefined) return { endpoint: configured, close: async () => undefined }
  const port = await findFreePort()
  const child = spawn(binary, ['serve', '--port', String(port), '--log', 'quiet'], {
    stdio: 'ignore',
  })
  const endpoint = `http://127.0.0.1:${port}`
  try {
    await waitUntilAnswers(endpoint, child)
  } catch (thrown) {
    child.kill('SIGKILL')
    throw thrown
  }
  return { endpoint, close: () => endProcess(child) }
}

async function waitUntilAnswers(endpoint: string, child: ChildProcess): Promise<void> {
  const deadlineMs = Date.now() + startMaxMs
  while (Date.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`dynoxide ended with ${child.exitCode}`)
    if (await fetch(endpoint).then(Boolean, () => false)) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error('dynoxide does not answer')
}

function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise(resolve => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess, ProcessesPort } from '../../shared/ports/system.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { createProcessFolderPrefix, removeStaleFolders } from '../stale-folders.ts'
import type { InstallResult } from './install-emulator.ts'
import { type EmulatorRow, type EmulatedService, emulatorCredentials } from './emulators.ts'

/** Running emulators. */
export interface Emulators {
  /** Variables for clients of the emulators: endpoints, credentials, region. */
  readonly variables: Readonly<Record<string, string>>
  /** Resolves with a message when an emulator has exited unexpectedly. */
  readonly unexpectedExit: Promise<string>
  readonly stop: () => Promise<void>
}

/** Maximum time until the first response of a server, enough for a JVM on a busy machine. */
const startTimeoutMs = 60_000
const pollIntervalMs = 50
/**
 * Maximum number of starts of one server. Another process may take the port before the server
 * listens.
 */
const startsMax = 3
/** Number of last output lines in the error about an emulator that does not respond. */
const lastLinesMax = 20
/** Prefix of the folders of runs; the process id follows. */
const scratchPrefix = 'antichain-emulators-'

/** Returns the name of the variable for the endpoint of a service. */
export function endpointVariableOf(service: EmulatedService | 'LAMBDA'): string {
  return `ANTICHAIN_${service}_ENDPOINT`
}

/**
 * Starts the installed emulators and waits until each one responds. If an emulator does not
 * respond, stops all of them and throws an Error with its last output lines.
 */
export async function startEmulators(
  installedEmulators: readonly Extract<InstallResult, { kind: 'installed' }>[],
): Promise<Emulators> {
  const processes = createProcesses()
  removeStaleFolders(scratchPrefix)
  const scratch = mkdtempSync(join(tmpdir(), createProcessFolderPrefix(scratchPrefix)))
  const stop = async (): Promise<void> => {
    await processes.close()
    rmSync(scratch, { recursive: true, force: true })
  }
  try {
    const servers = await Promise.all(
      installedEmulators.map(({ row, folder }) =>
        startEmulator(processes, row, { folder, scratch }),
      ),
    )
    const endpoints = servers.flatMap(({ row, endpoint }) =>
      row.services.map(service => [endpointVariableOf(service), endpoint] as const),
    )
    let isStopping = false
    const unexpectedExit = Promise.race(
      servers.map(async ({ row, child }) => {
        await child.exit
        return isStopping ? new Promise<never>(() => {}) : `${row.name} exited unexpectedly`
      }),
    )
    return {
      variables: { ...Object.fromEntries(endpoints), ...emulatorCredentials },
      unexpectedExit,
      stop: async () => {
        isStopping = true
        await stop()
      },
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** A running emulator with its process and address. */
interface RunningEmulator {
  readonly row: EmulatorRow
  readonly child: ChildProcess
  readonly endpoint: string
}

async function startEmulator(
  processes: ProcessesPort,
  row: EmulatorRow,
  locations: { readonly folder: string; readonly scratch: string },
): Promise<RunningEmulator> {
  for (let startNumber = 1; ; startNumber += 1) {
    const port = await findFreePort()
    const scratch = join(locations.scratch, `${row.name}-${port}`)
    const {
      command,
      files = {},
      folders = [],
    } = row.start({ folder: locations.folder, scratch, port })
    for (const name of ['.', ...folders]) mkdirSync(join(scratch, name), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch, name), text)
    const [file = '', ...args] = command
    const env = withoutAws(process.env)
    const child = processes.spawn({ command: file, args, cwd: scratch, env })
    const readLastLines = collectLastLines(child)
    const endpoint = `http://127.0.0.1:${port}`
    if (await waitUntilReady(endpoint, child)) return { row, child, endpoint }
    child.signal('SIGKILL')
    await child.exit
    if (startNumber === startsMax)
      throw new Error(
        `${row.name} does not respond; its last output:\n${readLastLines().join('\n')}`,
      )
  }
}

/** Reports whether the server responds in time. Resolves to false soon after its process ended. */
async function waitUntilReady(endpoint: string, child: ChildProcess): Promise<boolean> {
  let hasExited = false
  void child.exit.then(() => {
    hasExited = true
  })
  for (const deadlineMs = Date.now() + startTimeoutMs; !hasExited && Date.now() < deadlineMs; ) {
    try {
      const reply = await fetch(endpoint, { signal: AbortSignal.timeout(pollIntervalMs * 40) })
      await reply.body?.cancel()
      // The response may come from another process on this port. In that case, this child exits.
      await sleep(pollIntervalMs)
      return !hasExited
    } catch {
      await sleep(pollIntervalMs)
    }
  }
  return false
}

/**
 * Reads the output of a process, so that its pipes do not fill. Returns the function that returns
 * the last lines so far.
 */
function collectLastLines(child: ChildProcess): () => readonly string[] {
  let text = ''
  const read = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of stream)
      text = (text + Buffer.from(chunk).toString()).split('\n').slice(-lastLinesMax).join('\n')
  }
  for (const stream of [child.stdout, child.stderr]) read(stream).catch(() => undefined)
  return () => text.split('\n')
}

/**
 * Returns the environment without AWS variables, because an emulator must not get real credentials.
 */
function withoutAws(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('AWS_') ? [] : [[name, value] as const],
    ),
  )
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port)
        else reject(new Error('no free port'))
      })
    })
  })
}

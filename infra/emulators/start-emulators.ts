import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess, ProcessesPort } from '../../shared/ports/system.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { processFolderName, removeLeftovers } from '../leftovers.ts'
import type { InstallResult } from './install-emulator.ts'
import { type EmulatorRow, type Service, emulatorCredentials } from './emulators.ts'

/** Emulators that answer. */
export interface Emulators {
  /** Variables for their clients: endpoints, credentials, region. */
  readonly variables: Readonly<Record<string, string>>
  /** Resolves with a sentence when one of them has died by itself. */
  readonly died: Promise<string>
  readonly stop: () => Promise<void>
}

/** How long a server may take to its first answer: a JVM on a busy machine. */
const answerMs = 60_000
const lookEveryMs = 50
/** How often one is started that found its port taken meanwhile. */
const startsMax = 3
const keptLines = 20
/** Folders of runs are named after this and the process. */
const scratchName = 'antichain-emulators-'

/** The variable that names the endpoint of a service. */
export function endpointVariableOf(service: Service): string {
  return `ANTICHAIN_${service}_ENDPOINT`
}

/**
 * Starts what is installed and waits until each answers. Throws with the last lines of one that
 * does not; then none runs any more.
 */
export async function startEmulators(
  installed: readonly Extract<InstallResult, { kind: 'installed' }>[],
): Promise<Emulators> {
  const processes = createProcesses()
  removeLeftovers(scratchName)
  const scratch = mkdtempSync(join(tmpdir(), processFolderName(scratchName)))
  const stop = async (): Promise<void> => {
    await processes.close()
    rmSync(scratch, { recursive: true, force: true })
  }
  try {
    const servers = await Promise.all(
      installed.map(({ row, folder }) => startEmulator(processes, row, { folder, scratch })),
    )
    const endpoints = servers.flatMap(({ row, endpoint }) =>
      row.services.map(service => [endpointVariableOf(service), endpoint] as const),
    )
    let isStopping = false
    const died = Promise.race(
      servers.map(async ({ row, child }) => {
        await child.exit
        return isStopping ? new Promise<never>(() => {}) : `${row.name} has ended by itself`
      }),
    )
    return {
      variables: { ...Object.fromEntries(endpoints), ...emulatorCredentials },
      died,
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

interface RunningEmulator {
  readonly row: EmulatorRow
  readonly child: ChildProcess
  readonly endpoint: string
}

async function startEmulator(
  processes: ProcessesPort,
  row: EmulatorRow,
  at: { readonly folder: string; readonly scratch: string },
): Promise<RunningEmulator> {
  for (let starts = 1; ; starts += 1) {
    const port = await findFreePort()
    const scratch = join(at.scratch, `${row.name}-${port}`)
    const { command, files = {}, folders = [] } = row.start({ folder: at.folder, scratch, port })
    for (const name of ['.', ...folders]) mkdirSync(join(scratch, name), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch, name), text)
    const [file = '', ...args] = command
    const env = withoutAws(process.env)
    const child = processes.spawn({ command: file, args, cwd: scratch, env })
    const lines = collectLastLines(child)
    const endpoint = `http://127.0.0.1:${port}`
    if (await waitUntilReady(endpoint, child)) return { row, child, endpoint }
    child.signal('SIGKILL')
    await child.exit
    if (starts === startsMax)
      throw new Error(`${row.name} does not answer; it said:\n${lines().join('\n')}`)
  }
}

/** Whether it answers anything in time; false as soon as it has ended. */
async function waitUntilReady(endpoint: string, child: ChildProcess): Promise<boolean> {
  let isOver = false
  void child.exit.then(() => {
    isOver = true
  })
  for (const untilMs = Date.now() + answerMs; !isOver && Date.now() < untilMs; ) {
    try {
      const reply = await fetch(endpoint, { signal: AbortSignal.timeout(lookEveryMs * 40) })
      await reply.body?.cancel()
      // Somebody else may have got the port that was free.
      await sleep(lookEveryMs)
      return !isOver
    } catch {
      await sleep(lookEveryMs)
    }
  }
  return false
}

/** Reads what it says, so that its pipes do not fill, and keeps the end of it. */
function collectLastLines(child: ChildProcess): () => readonly string[] {
  let text = ''
  const read = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of stream)
      text = (text + Buffer.from(chunk).toString()).split('\n').slice(-keptLines).join('\n')
  }
  for (const stream of [child.stdout, child.stderr]) read(stream).catch(() => undefined)
  return () => text.split('\n')
}

/** A server that stands in for AWS has no business with anybody's account. */
function withoutAws(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('AWS_') ? [] : [[name, value] as const],
    ),
  )
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, failed) => {
    const server = createServer()
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port)
        else failed(new Error('no free port'))
      })
    })
  })
}

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { handlerName } from '../assets.ts'

/** What an environment is made of. */
export interface EnvironmentAbout {
  /** The function's full name, with the installation's. */
  readonly name: string
  readonly arn: string
  /** The folder of its bundle, which nobody writes to. */
  readonly code: string
  /** A folder for it alone, which is made, and removed with it. */
  readonly folder: string
  readonly memoryMb: number
  /** Its variables beside those of the runtime: places, endpoints, credentials. */
  readonly variables: Readonly<Record<string, string>>
  /** A line of its output. */
  readonly said: (line: string) => void
}

/** The process of an environment, which leads a group of its own. */
export interface EnvironmentProcess {
  readonly pid: number
  /** Signals the group; does nothing once it is gone. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Resolves when it is gone, its group has been killed and its folder removed. */
  readonly gone: Promise<string>
}

/** Starts the runtime in a process that gets nothing of our own environment. */
export function startEnvironmentProcess(
  about: EnvironmentAbout,
  address: string,
): EnvironmentProcess {
  const { code, folder, said } = about
  for (const part of ['home', 'tmp']) mkdirSync(join(folder, part), { recursive: true })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'runtime.mjs')], {
    cwd: code,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: variablesOf(about, address),
  })
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, said)
  let isOver = false
  const signal = (name: NodeJS.Signals): void => {
    if (!isOver && child.pid !== undefined) signalGroup(child.pid, name)
  }
  const gone = new Promise<string>(resolve => {
    const over = (why: string): void => {
      // What the function left in its group ends with it.
      signal('SIGKILL')
      isOver = true
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      resolve(why)
    }
    child.once('error', thrown => over(`cannot be started: ${thrown.message}`))
    child.once('exit', (status, how) => over(`ended by itself with ${status ?? how}`))
  })
  return { pid: child.pid ?? 0, signal, gone }
}

/** The variables of Lambda that functions may rely on, and folders that are its own. */
function variablesOf(
  { name, code, folder, memoryMb, variables }: EnvironmentAbout,
  address: string,
): Record<string, string> {
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    ANTICHAIN_SCRATCH: join(folder, 'tmp', 'antichain'),
    LAMBDA_TASK_ROOT: code,
    _HANDLER: handlerName,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_RUNTIME_API: address,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: name,
    AWS_LAMBDA_LOG_STREAM_NAME: randomUUID(),
    ...variables,
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // It ended by itself between the look and the signal.
  }
}

function eachLine(stream: NodeJS.ReadableStream, said: (line: string) => void): void {
  let rest = ''
  const tell = (line: string): void => {
    if (line !== '') said(line.slice(0, cloudLimits.lineCharsMax))
  }
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = (parts.pop() ?? '').slice(0, cloudLimits.lineCharsMax)
    for (const line of parts) tell(line)
  })
  stream.once('close', () => tell(rest))
}

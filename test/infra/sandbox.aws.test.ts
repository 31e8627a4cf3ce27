/** A function in a sandbox of the local cloud meets the limits of Lambda. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Environment, startEnvironment } from '../../infra/local-cloud/environment.ts'
import { findSandboxSupport } from '../../infra/local-cloud/sandbox.ts'
import { listSandboxProcesses } from '../../infra/local-cloud/sandbox-processes.ts'
import {
  startSupervisor,
  type Supervisor,
} from '../../shared/platform/system/process-supervisor.ts'
import { waitUntil } from '../e2e/sandbox.ts'

const handler = `
import { spawn } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
const attempt = action => {
  try {
    return String(action())
  } catch (thrown) {
    return thrown.code
  }
}
const open = () => {
  for (let count = 1; ; count += 1)
    try {
      openSync('/dev/null')
    } catch (thrown) {
      return [thrown.code, count]
    }
}
const chunks = []
const allocate = megabytes => {
  for (let count = 0; count < megabytes; count += 1) chunks.push(Buffer.alloc(1024 * 1024, 1))
}
export const handler = async event => {
  if (event.write) return attempt(() => writeFileSync(event.write, Buffer.alloc(event.bytes ?? 1)))
  if (event.do === 'open') return open()
  if (event.do === 'allocate') {
    allocate(event.megabytes)
    await new Promise(() => setInterval(() => {}, 1000))
  }
  if (event.do === 'spawn') {
    const [file, ...args] = event.command
    for (let count = 0; count < event.processes; count += 1) spawn(file, args, { stdio: 'ignore' })
    await new Promise(() => setInterval(() => {}, 1000))
  }
  if (event.do === 'child')
    spawn('sh', ['-c', 'while true; do date +%s%N > /tmp/beat; sleep 0.05; done'], {
      stdio: 'ignore', detached: true,
    })
  return { uid: process.getuid(), cwd: process.cwd(), env: process.env }
}
`

const support = findSandboxSupport()
if (support.kind === 'unsupported') console.warn(`SKIPPED: sandboxes: ${support.reason}`)

describe.skipIf(support.kind === 'unsupported')('a function in a sandbox', () => {
  let root: string
  let supervisor: Supervisor
  let environment: Environment

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'antichain-sandbox-'))
    mkdirSync(join(root, 'code'))
    writeFileSync(join(root, 'code', 'main.mjs'), handler)
    supervisor = startSupervisor()
    environment = await startEnvironment({
      name: 'test-function',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:test-function',
      bundleFolder: join(root, 'code'),
      folder: join(root, 'environment'),
      memoryMb: 256,
      variables: { HOME: '/tmp', PATH: '/usr/bin:/bin' },
      sandbox: { writableFolders: [], limits: { scratchMb: 4, descriptorsMax: 1_024 } },
      supervisor,
      onLine: () => undefined,
    })
  })
  afterEach(async () => {
    environment.kill('the test is over')
    await environment.endReason
    await supervisor.close()
    rmSync(root, { recursive: true, force: true })
  })

  async function invoke(event: object): Promise<unknown> {
    const outcome = await environment.invoke(event, 20_000)
    if (outcome.kind !== 'answered') throw new Error(outcome.reason)
    return JSON.parse(outcome.json) as unknown
  }

  test("runs as Lambda's user, with only its own variables and those of Lambda", async () => {
    const { uid, cwd, env } = (await invoke({})) as {
      readonly uid: number
      readonly cwd: string
      readonly env: Readonly<Record<string, string>>
    }
    expect([uid, cwd, env['HOME']]).toEqual([993, '/var/task', '/tmp'])
    const names = Object.keys(env).filter(name => !/^(AWS_|LAMBDA_|_HANDLER$)/.test(name))
    expect(names.sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'TZ', '_X_AMZN_TRACE_ID'])
  })

  const readOnlyFiles = ['/opt/a', '/var/task/a', '/var/a', '/etc/a', '/usr/local/a']
  test.each([...readOnlyFiles, '/dev/a', '/dev/shm/a'])('cannot write %s', async path => {
    expect(await invoke({ write: path })).toMatch(/^(EROFS|EACCES|ENOENT)$/)
  })

  test('can write to /dev/null', async () => {
    expect(await invoke({ write: '/dev/null' })).toBe('undefined')
  })

  test('can write to /tmp up to its size', async () => {
    expect(await invoke({ write: '/tmp/small', bytes: 1024 * 1024 })).toBe('undefined')
    expect(await invoke({ write: '/tmp/large', bytes: 8 * 1024 * 1024 })).toBe('ENOSPC')
  })

  test('cannot open more files than Lambda allows', async () => {
    const [code, count] = (await invoke({ do: 'open' })) as [string, number]
    expect(code).toBe('EMFILE')
    expect(count).toBeGreaterThan(900)
    expect(count).toBeLessThanOrEqual(1_024)
  })

  test('is killed when it uses more memory than its limit', async () => {
    const outcome = await environment.invoke({ do: 'allocate', megabytes: 400 }, 10_000)
    expect(outcome).toMatchObject({ kind: 'died' })
    expect(await environment.endReason).toMatch(/^ran out of memory: \d+ MB of 256 MB$/)
  })

  test('is killed when its processes together open more files than Lambda allows', async () => {
    // Each of two processes stays below the limit of a process.
    const files = "require('node:fs').openSync('/dev/null')"
    const script = `for (let n = 0; n < 600; n += 1) ${files}; setInterval(() => {}, 1000)`
    const command = [process.execPath, '-e', script]
    const outcome = await environment.invoke({ do: 'spawn', processes: 2, command }, 20_000)
    expect(outcome).toMatchObject({ kind: 'died' })
    expect(await environment.endReason).toMatch(/^ran out of file descriptors: 1\d{3} of 1024$/)
  })

  test('is killed when it has more processes and threads than Lambda allows', async () => {
    // Processes without open files stay below the limit of descriptors. A process that starts has
    // its libraries open for a moment, so the processes start a few at a time.
    const start = 'sleep 60 <&- & [ $((n % 10)) = 0 ] && sleep 0.1 <&-'
    const script = `exec <&- >&- 2>&-; for n in $(seq 130); do ${start}; done; wait`
    const command = ['/bin/sh', '-c', script]
    const outcome = await environment.invoke({ do: 'spawn', processes: 8, command }, 20_000)
    expect(outcome).toMatchObject({ kind: 'died' })
    expect(await environment.endReason).toMatch(
      /^ran out of processes and threads: 1\d{3} of 1024$/,
    )
  })

  test('is suspended between two calls with every process that it started', async () => {
    await invoke({ do: 'child' })
    const listStates = () => listSandboxProcesses(environment.pid).map(({ pid }) => stateOf(pid))
    // The shell may wait (D) for a stopped child that has not begun its program. A child that ended
    // before the shell was stopped is a zombie (Z).
    await waitUntil(() => listStates().every(state => /^[TDZ]$/.test(state ?? 'Z')), {
      condition: 'stopped processes',
    })
    expect(listStates().length).toBeGreaterThanOrEqual(3)
  })

  test('dies with every process that it started', async () => {
    await invoke({ do: 'child' })
    const pids = listSandboxProcesses(environment.pid).map(({ pid }) => pid)
    environment.kill('the test kills it')
    await environment.endReason
    await waitUntil(() => pids.every(pid => !existsSync(`/proc/${pid}`)), {
      condition: 'the end of its processes',
    })
  })
})

/** Returns the state of a process, such as T for a stopped one. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
  } catch {
    return undefined
  }
}

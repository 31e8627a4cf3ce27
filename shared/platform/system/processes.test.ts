import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isProcessAlive, killGroup, startTimeOf } from './process-groups.ts'
import { createProcesses } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const env = { PATH: process.env['PATH'] ?? '' }

/**
 * The script of a child that ignores SIGINT and SIGTERM and has its own child. It prints both pids.
 */
const stubborn = "trap '' INT TERM; sleep 300 & echo $$ $!; wait"

function shellCommandOf(
  script: string,
): Parameters<ReturnType<typeof createProcesses>['spawn']>[0] {
  return { command: '/bin/sh', args: ['-c', script], cwd: folder, env }
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += new TextDecoder().decode(chunk)
  return text
}

async function readFirstLine(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}

async function waitForEnds(pids: readonly number[]): Promise<boolean> {
  const endMs = Date.now() + 2_000
  while (Date.now() < endMs) {
    if (pids.every(pid => startTimeOf(pid) === '')) return true
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return false
}

/**
 * Starts a process that spawns children through the adapter and never ends. Returns its pid and
 * those of the children.
 */
async function startParent(): Promise<{ parent: number; children: number[] }> {
  const adapter = join(import.meta.dirname, 'processes.ts')
  const file = join(folder, 'parent.ts')
  writeFileSync(
    file,
    `import { createProcesses } from ${JSON.stringify(adapter)}
const child = createProcesses().spawn({ command: '/bin/sh', args: ['-c', ${JSON.stringify(stubborn)}],
  cwd: '/', env: { PATH: process.env.PATH } })
for await (const chunk of child.stdout) process.stdout.write(chunk)
`,
  )
  const parent = spawn(process.execPath, [file], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const children = (await readFirstLine(parent.stdout)).split(' ').map(Number)
  return { parent: parent.pid ?? 0, children }
}

describe('children', () => {
  test('report their output and exit status', async () => {
    const processes = createProcesses()
    const child = processes.spawn(shellCommandOf('echo out; echo err >&2; exit 3'))
    const [stdout, stderr, exit] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      child.exit,
    ])
    expect([stdout, stderr, exit]).toEqual(['out\n', 'err\n', { code: 3, signal: null }])
    await processes.close()
  })

  test('are listed with their start time while they run', async () => {
    const processes = createProcesses()
    const child = processes.spawn(shellCommandOf('sleep 300'))
    const [group] = processes.listGroups()
    expect(group).toEqual({ pid: child.pid, started: startTimeOf(child.pid) })
    expect(group !== undefined && isProcessAlive(group)).toBe(true)
    child.signal('SIGTERM')
    expect(await child.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(processes.listGroups()).toEqual([])
    await processes.close()
  })

  test('end together with their whole group', async () => {
    const processes = createProcesses()
    const child = processes.spawn(shellCommandOf('sleep 300 & echo $!'))
    const orphan = Number(await readFirstLine(child.stdout))
    await child.exit
    expect(await waitForEnds([orphan])).toBe(true)
    await processes.close()
  })

  test('are killed by close', async () => {
    const processes = createProcesses()
    const child = processes.spawn(shellCommandOf(stubborn))
    const pids = (await readFirstLine(child.stdout)).split(' ').map(Number)
    await processes.close()
    expect(await waitForEnds(pids)).toBe(true)
    expect(() => processes.spawn(shellCommandOf('true'))).toThrow('this run ends')
  })

  test.each([
    ['a missing file', join(folder, 'nothing'), 'the file does not exist'],
    ['a name that is not on PATH', 'surely-not-there', 'it is not on PATH'],
  ])('%s causes an error immediately', async (_name, command, reason) => {
    const processes = createProcesses()
    expect(() => processes.spawn({ command, args: [], cwd: folder, env })).toThrow(reason)
    await processes.close()
  })

  test('a file without execute permission, or a missing working folder, causes an error immediately', async () => {
    const processes = createProcesses()
    const command = join(folder, 'plain')
    writeFileSync(command, '#!/bin/sh\n')
    chmodSync(command, 0o644)
    expect(() => processes.spawn({ command, args: [], cwd: folder, env })).toThrow('not executable')
    expect(() => processes.spawn({ command, args: [], cwd: `${folder}/x`, env })).toThrow('folder')
    await processes.close()
  })

  test.each([
    [
      'one variable',
      { PULUMI_CONFIG: 's'.repeat(200_000) },
      'the variable PULUMI_CONFIG has 200015 bytes, and the system allows 131072',
      /^It has the configuration\. Move large values to files/,
    ],
    [
      'all variables together',
      Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`V${i}`, 's'.repeat(100_000 + i)])),
      'in total; the largest is the variable V89 with 100094 bytes',
      /^Shorten it, or remove it from the environment/,
    ],
  ])('with too large an environment (%s) are refused, and no value is shown', async (...row) => {
    const [, variables, reason, hint] = row
    const processes = createProcesses()
    const request = { ...shellCommandOf('true'), env: { ...env, ...variables } }
    const spawnLarge = () => processes.spawn(request)
    expect(spawnLarge).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_FAILED',
        message: expect.stringContaining(`cannot start '/bin/sh': `) as string,
        hint: expect.stringMatching(hint) as string,
      }),
    )
    expect(spawnLarge).toThrow(reason)
    expect(spawnLarge).not.toThrow('sss')
    await processes.close()
  })

  test('whose file is being written are refused with a code', async () => {
    const processes = createProcesses()
    const command = join(folder, 'busy')
    copyFileSync('/bin/sh', command)
    const writer = openSync(command, 'r+')
    const request = { command, args: [], cwd: folder, env }
    expect(() => processes.spawn(request)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_FAILED',
        message: `cannot start '${command}': spawn ETXTBSY`,
      }),
    )
    closeSync(writer)
    await processes.close()
  })
})

describe('the death of the parent', () => {
  test('by kill -9 leaves no child', async () => {
    const { parent, children } = await startParent()
    expect(children).toHaveLength(2)
    process.kill(parent, 'SIGKILL')
    expect(await waitForEnds(children)).toBe(true)
  })

  test('with its whole process group leaves no child', async () => {
    const { parent, children } = await startParent()
    process.kill(-parent, 'SIGKILL')
    expect(await waitForEnds(children)).toBe(true)
  })
})

test('a group is killed only when its leader is the recorded one', async () => {
  const processes = createProcesses()
  const child = processes.spawn(shellCommandOf('sleep 300'))
  expect(killGroup({ pid: child.pid, started: '1' })).toBe(false)
  expect(killGroup({ pid: child.pid, started: startTimeOf(child.pid) })).toBe(true)
  expect(await child.exit).toEqual({ code: null, signal: 'SIGKILL' })
  await processes.close()
})

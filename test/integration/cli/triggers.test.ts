import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scheduleStatusOf } from '../../../cli/commands/trigger-documents.ts'
import type { Io } from '../../../cli/session/io.ts'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import { createLazyTools } from '../../../cli/session/lazy-tools.ts'

let root = ''
let env: Record<string, string | undefined> = {}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cli-triggers-'))
  write('Pulumi.yaml', 'name: site\nruntime: nodejs\n')
  renewEnvironment()
  expect((await run('stack', 'init', 'dev')).exit).toBe(0)
})
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(renewEnvironment)

function renewEnvironment(): void {
  env = { ANTICHAIN_HOME: join(root, 'home'), PULUMI_CONFIG_PASSPHRASE: 'pass' }
}

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text)
}

/** Runs a command over a real store. */
async function run(...args: readonly string[]) {
  let [out, err] = ['', '']
  const readNothing = async (): Promise<string> => ''
  const io: Io = {
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    env,
    cwd: root,
    isTerminal: false,
    prompt: readNothing,
    promptHidden: readNothing,
    readInput: readNothing,
    onInterrupt: () => () => {},
  }
  const exit = await runCommandLine(args, io, createLazyTools())
  return { exit, out, err }
}

test('without dead letters nothing is listed and nothing is redriven', async () => {
  const listed = await run('notification', 'dead', '--json')
  expect(listed).toMatchObject({ exit: 0, out: '[]\n' })
  expect(listed.err).toContain('log in to its API')
  const redriven = await run('notification', 'redrive')
  expect([redriven.exit, redriven.err]).toEqual([
    0,
    expect.stringContaining('There are no undelivered notifications.'),
  ])
})

describe('schedules', () => {
  test('a past time is refused, and a one-time schedule is over after its time', async () => {
    const when = 'at(2020-01-01T00:00:00)'
    expect(await run('schedule', 'create', 'once', '--when', when)).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/SCHEDULE_INVALID.*'at\(2020-01-01T00:00:00\)'.*is in the past/),
    })
    await run('schedule', 'create', 'later', '--when', 'at(2999-01-01T00:00:00)')
    expect((await run('schedule', 'ls')).out).toMatch(/^later +on +/m)
    const operation = { kind: 'up' }
    const at = Date.parse('2026-02-01T00:00:00Z')
    const value = {
      when: 'at(2026-02-01T00:00:00)',
      operation,
      createdAt: at - 10,
      isPaused: false,
    }
    const statusAt = (now: number, more: object = {}): string =>
      scheduleStatusOf(
        { name: 'x', stack: 'site/dev', version: 1, value: { ...value, ...more } },
        now,
      )
    expect([statusAt(at - 1), statusAt(at), statusAt(at, { lastAt: at })]).toEqual([
      'on',
      'due',
      'over',
    ])
    expect(statusAt(at, { createdAt: at + 1 })).toBe('over')
    expect(statusAt(at, { isPaused: true })).toBe('paused')
  })

  test('a schedule can be paused and resumed, and is otherwise unchanged', async () => {
    const args = ['--when', 'rate(2 hours)', '--operation', 'up', '--jitter', '7']
    await run('schedule', 'create', 'often', ...args)
    const readSchedule = async () => JSON.parse((await run('schedule', 'show', 'often')).out)
    const before = await readSchedule()
    expect((await run('schedule', 'pause', 'often')).err).toContain("Paused schedule 'often'.")
    expect((await run('schedule', 'ls')).out).toMatch(/^often +paused +up at rate\(2 hours\)/m)
    expect((await run('schedule', 'pause', 'often')).err).toContain('is already paused')
    expect((await run('schedule', 'resume', 'often')).err).toContain("Resumed schedule 'often'.")
    expect(await readSchedule()).toEqual({ ...before, lastAt: expect.any(Number) })
    const none = await run('schedule', 'pause', 'none')
    expect([none.exit, none.err]).toEqual([1, expect.stringContaining('none')])
  })
})

test('a rename names the webhooks whose rules still have the old id', async () => {
  const stack = 'organization/site/dev'
  const rule = { on: 'push', repository: 'acme/site', branches: ['main'] }
  write('old.json', JSON.stringify([{ ...rule, stack }]))
  write('other.json', JSON.stringify([{ ...rule, stack: 'organization/site/other' }]))
  for (const name of ['old', 'other'])
    expect((await run('webhook', 'create', name, '--rules', `${name}.json`)).exit).toBe(0)
  const { exit, err } = await run('stack', 'rename', 'test')
  expect([exit, err]).toEqual([0, expect.stringContaining(`'old' still name ${stack}`)])
  expect(err).not.toContain("'other'")
})

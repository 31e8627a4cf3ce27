/** The summary of an operation: of a running one with `--output json`, and of an earlier one. */
import { expect, test } from 'vitest'
import { createSandbox, requireSuccess } from './sandbox.ts'
import { initDevStack } from './exported-state.ts'
import { expectRefused } from './expect-refused.ts'

test('an operation with --output json prints a summary in one line, which `stack history events` repeats', {
  timeout: 120_000,
}, async () => {
  const sandbox = createSandbox('small')
  try {
    await initDevStack(sandbox)
    const run = async (...args: readonly string[]): Promise<string> =>
      requireSuccess(await sandbox.run([...args, '-s', 'dev'])).out
    const parseLine = (text: string): Record<string, unknown> => {
      expect(text.trim().split('\n')).toHaveLength(1)
      return JSON.parse(text) as Record<string, unknown>
    }
    const previewSummary = parseLine(await run('preview', '--output', 'json'))
    const upSummary = parseLine(await run('up', '--yes', '--output', 'json'))
    expect(upSummary).toMatchObject({ result: 'succeeded', resources: previewSummary['resources'] })
    const { create } = upSummary['summary'] as { readonly create: number }
    expect(create).toBeGreaterThan(1)
    expect(upSummary['resources']).toHaveLength(create)
    const summaryArgs = ['stack', 'history', 'events', '1', '--summary']
    const stored = parseLine(await run(...summaryArgs, '--output', 'json'))
    const { result, summary, resources } = upSummary
    expect(stored).toMatchObject({ result, summary, resources })
    const latest = ['stack', 'history', 'events', 'latest', '--summary', '--output', 'json']
    expect(parseLine(await run(...latest))).toEqual(stored)
    expect(await run(...summaryArgs)).toContain(`Changes:  ${create} create`)
    const listKinds = async (...options: readonly string[]): Promise<readonly string[]> => {
      const args = ['stack', 'history', 'events', '1', '--all', '--output', 'json', ...options]
      const events = JSON.parse(await run(...args)) as Record<string, unknown>[]
      return [...new Set(events.flatMap(Object.keys))].filter(key => key.endsWith('Event'))
    }
    // Codes of kinds: 4 is the prelude, 5 the summary, and 7 the outputs of a resource.
    expect(await listKinds('--event-type', '5')).toEqual(['summaryEvent'])
    const twoKinds = await listKinds('--event-type', '4', '--event-type', '7')
    expect(twoKinds.toSorted()).toEqual(['preludeEvent', 'resOutputsEvent'])
    const unchanged = parseLine(await run('up', '--yes', '--output', 'json'))
    expect(unchanged).toMatchObject({ result: 'succeeded', summary: { same: create } })
    expect(unchanged).not.toHaveProperty('resources')
    expectRefused(
      await sandbox.run(['up', '--yes', '--json', '--output', 'json', '-s', 'dev']),
      'CLI_USAGE',
      ['--output'],
    )
    const badCode = ['stack', 'history', 'events', '1', '--event-type', 'policy', '-s', 'dev']
    expectRefused(await sandbox.run(badCode), 'CLI_USAGE', ["'policy'", '9 policy'])
    sandbox.setFaults({ 'delete:thing': 'always' })
    const failed = await sandbox.run(['destroy', '--yes', '--output', 'json', '-s', 'dev'])
    expect(failed.exit).not.toBe(0)
    expect(parseLine(failed.out)).toMatchObject({ result: 'failed' })
  } finally {
    sandbox.remove()
  }
})

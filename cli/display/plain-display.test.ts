import { describe, expect, test } from 'vitest'
import type { EngineEventPayload, SummaryEvent } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { DisplayOptions } from '../tools.ts'
import {
  createTape,
  displayOptions,
  metadataOf,
  stackMetadata,
  stateOf,
  thingUrn,
} from './fixture.ts'
import { createPlainDisplay } from './plain-display.ts'

const succeeded: DeployResult = { result: 'succeeded', changes: {}, hasChanges: true, pending: [] }

const summary = (resourceChanges: SummaryEvent['resourceChanges']): EngineEventPayload => ({
  summaryEvent: {
    maybeCorrupt: false,
    durationSeconds: 4,
    resourceChanges,
    PolicyPacks: {},
    isPreview: false,
    result: 'succeeded',
  },
})

/** What is printed for these events, each a second after the one before. */
async function printed(
  events: readonly EngineEventPayload[],
  given: { readonly options?: Partial<DisplayOptions>; readonly result?: DeployResult } = {},
): Promise<readonly string[]> {
  const stdout = createTape()
  let nowMs = 0
  const display = createPlainDisplay(displayOptions({ stdout, ...given.options }), () => nowMs)
  for (const event of events) {
    nowMs += 1000
    display.emit(event)
  }
  await display.finish(given.result ?? succeeded)
  return stdout.text().split('\n').slice(2, -1)
}

const pre = (metadata: ReturnType<typeof metadataOf>) => ({ resourcePreEvent: { metadata } })
const done = (metadata: ReturnType<typeof metadataOf>) => ({ resOutputsEvent: { metadata } })

describe('steps', () => {
  test('a change has one line when it ended, with its time; what stays has none but is counted', async () => {
    const create = metadataOf('create', 'a')
    const same = metadataOf('same', 'b')
    const lines = await printed([
      pre(create),
      pre(same),
      done(same),
      done(create),
      summary({ create: 3, same: 12 }),
    ])
    expect(lines).toEqual([
      ' +  pkg:index:Thing a created (3.0s)',
      '',
      'Resources:',
      '    + 3 created',
      '      12 unchanged',
      '',
      'Duration: 5.0s',
    ])
  })

  test('a component has its line when it is registered, and no second one for its outputs', async () => {
    const component = stackMetadata('create', {})
    const lines = await printed([pre(component), done(component)])
    expect(lines.filter(line => line.includes('site-dev'))).toEqual([
      ' +  pulumi:pulumi:Stack site-dev created',
    ])
  })

  test('the steps of a replacement have a line each', async () => {
    const steps = (['create-replacement', 'delete-replaced'] as const).map(op =>
      metadataOf(op, 'a', { logical: false }),
    )
    const lines = await printed(steps.flatMap(metadata => [pre(metadata), done(metadata)]))
    expect(lines.slice(0, 2)).toEqual([
      ' ++ pkg:index:Thing a created replacement (1.0s)',
      ' -- pkg:index:Thing a deleted original (1.0s)',
    ])
  })

  test('a refresh that found a difference is an update, one that found nothing has no line', async () => {
    const found = metadataOf('refresh', 'a', {
      old: stateOf('a', { outputs: { size: 1 } }),
      new: stateOf('a', { outputs: { size: 2 } }),
    })
    const unchanged = metadataOf('refresh', 'b')
    const lines = await printed([pre(found), done(found), pre(unchanged), done(unchanged)], {
      options: { diff: true },
    })
    expect(lines.slice(0, 3)).toEqual([
      ' ~  pkg:index:Thing a updated (1.0s)',
      '      ~ size: 1 => 2',
      '',
    ])
  })

  test('a preview says what would be done and no times', async () => {
    const metadata = metadataOf('delete', 'a')
    const lines = await printed([pre(metadata), done(metadata), summary({ delete: 1 })], {
      options: { dryRun: true },
    })
    expect(lines).toEqual([' -  pkg:index:Thing a delete', '', 'Resources:', '    - 1 to delete'])
  })

  test('nothing to do is said', async () => {
    expect(await printed([summary({ same: 2 })])).toContain('      nothing changed')
  })
})

describe('messages and failures', () => {
  test('an error names its resource and URN, further lines are indented', async () => {
    const metadata = metadataOf('create', 'a')
    const lines = await printed([
      pre(metadata),
      {
        diagnosticEvent: {
          urn: thingUrn('a'),
          message: 'no room\nat all\n',
          color: 'raw',
          severity: 'error',
        },
      },
      { resOpFailedEvent: { metadata, status: 0, steps: 0 } },
    ])
    expect(lines.slice(0, 7)).toEqual([
      '    error: a: no room',
      '      at all',
      `      ${thingUrn('a')}`,
      ' +  pkg:index:Thing a creating failed (2.0s)',
      '',
      'Resources:',
      '      1 failed',
    ])
  })

  test('control characters of programs do not reach the terminal', async () => {
    const message = '\u001b]0;title\u0007\u001b[2Jhello\u0008\r\n'
    const [line] = await printed([{ diagnosticEvent: { message, color: 'raw', severity: 'info' } }])
    expect(line).toBe('    hello')
  })

  test('empty, debugging and passing messages are left out', async () => {
    const base = { color: 'raw', message: 'x', severity: 'info' } as const
    const lines = await printed([
      { diagnosticEvent: { ...base, message: ' \n' } },
      { diagnosticEvent: { ...base, severity: 'debug' } },
      { diagnosticEvent: { ...base, ephemeral: true } },
    ])
    expect(lines[0]).toBe('')
  })
})

describe('the end', () => {
  const stack = stackMetadata(
    'same',
    { url: 'b', count: 2, key: '[secret]' },
    { url: 'a', count: 2 },
  )

  test('outputs are listed, those that changed with their change', async () => {
    const lines = await printed([pre(stack), done(stack)])
    expect(lines.slice(0, 5)).toEqual([
      '',
      'Outputs:',
      '        count: 2',
      '      + key: [secret]',
      '      ~ url: "a" => "b"',
    ])
  })

  test('outputs are left out when nobody wants them', async () => {
    const lines = await printed([pre(stack), done(stack)], { options: { suppressOutputs: true } })
    expect(lines).not.toContain('Outputs:')
  })

  test('operations whose end is unknown are named, with what to do', async () => {
    const pending = [{ urn: thingUrn('a'), type: 'pkg:index:Thing' }]
    const lines = await printed([], { result: { ...succeeded, result: 'interrupted', pending } })
    expect(lines).toContain('    pkg:index:Thing a')
    expect(lines).toContain(`      ${thingUrn('a')}`)
    expect(lines.at(-1)).toContain('state pending import')
  })
})

import { describe, expect, test } from 'vitest'
import type { EngineEventPayload, SummaryEvent } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { DisplayOptions } from '../session/tools.ts'
import {
  createRecordingStream,
  createTestDisplayOptions,
  metadataOf,
  createStackMetadata,
  stateOf,
  thingUrnOf,
} from './display.fixture.ts'
import { createPlainDisplay } from './plain-display.ts'

const succeeded: DeployResult = { result: 'succeeded', changes: {}, hasChanges: true, pending: [] }

const createSummary = (resourceChanges: SummaryEvent['resourceChanges']): EngineEventPayload => ({
  summaryEvent: {
    maybeCorrupt: false,
    durationSeconds: 4,
    resourceChanges,
    PolicyPacks: {},
    isPreview: false,
    result: 'succeeded',
  },
})

/** Returns the lines below the title for these events, which are one second apart. */
async function printPlain(
  events: readonly EngineEventPayload[],
  setup: { readonly options?: Partial<DisplayOptions>; readonly result?: DeployResult } = {},
): Promise<readonly string[]> {
  const stdout = createRecordingStream()
  let nowMs = 0
  const display = createPlainDisplay(
    createTestDisplayOptions({ stdout, ...setup.options }),
    () => nowMs,
  )
  for (const event of events) {
    nowMs += 1000
    display.emit(event)
  }
  await display.finish(setup.result ?? succeeded)
  return stdout.text().split('\n').slice(2, -1)
}

const createPreEvent = (metadata: ReturnType<typeof metadataOf>) => ({
  resourcePreEvent: { metadata },
})
const createOutputsEvent = (metadata: ReturnType<typeof metadataOf>) => ({
  resOutputsEvent: { metadata },
})

describe('steps', () => {
  test('a change has one line at its end, with its duration; unchanged resources are only counted', async () => {
    const create = metadataOf('create', 'a')
    const same = metadataOf('same', 'b')
    const lines = await printPlain([
      createPreEvent(create),
      createPreEvent(same),
      createOutputsEvent(same),
      createOutputsEvent(create),
      createSummary({ create: 3, same: 12 }),
    ])
    expect(lines).toEqual([
      ' +  pkg:Thing a created (3.0s)',
      '',
      'Resources:',
      '    + 3 created',
      '      12 unchanged',
      '',
      'Duration: 5.0s',
    ])
  })

  test('a component has one line when it is registered, and none for its outputs', async () => {
    const component = createStackMetadata('create', {})
    const lines = await printPlain([createPreEvent(component), createOutputsEvent(component)])
    expect(lines.filter(line => line.includes('site-dev'))).toEqual([' +  Stack site-dev created'])
  })

  test('each step of a replacement has one line', async () => {
    const steps = (['create-replacement', 'delete-replaced'] as const).map(op =>
      metadataOf(op, 'a', { logical: false }),
    )
    const lines = await printPlain(
      steps.flatMap(metadata => [createPreEvent(metadata), createOutputsEvent(metadata)]),
    )
    expect(lines.slice(0, 2)).toEqual([
      ' ++ pkg:Thing a created replacement (1.0s)',
      ' -- pkg:Thing a deleted original (1.0s)',
    ])
  })

  test('a refresh that found a difference is shown as an update, and any other refresh has no line', async () => {
    const metadata = metadataOf('refresh', 'a', {
      old: stateOf('a', { outputs: { size: 1 } }),
      new: stateOf('a', { outputs: { size: 2 } }),
    })
    const unchanged = metadataOf('refresh', 'b')
    const lines = await printPlain(
      [
        createPreEvent(metadata),
        createOutputsEvent(metadata),
        createPreEvent(unchanged),
        createOutputsEvent(unchanged),
      ],
      {
        options: { diff: true },
      },
    )
    expect(lines.slice(0, 6)).toEqual([
      ' ~  pkg:Thing a updated (1.0s)',
      '      id: id-a',
      '      urn: urn:pulumi:dev::site::pkg:index:Thing::a',
      '      provider: urn:pulumi:dev::site::pulumi:providers:pkg::default::id',
      '      ~ size: 1 => 2',
      '',
    ])
  })

  test('with --diff, only the create of a replacement has details, with the reason', async () => {
    const [old, next] = [
      stateOf('a', { inputs: { size: 1 } }),
      stateOf('a', { inputs: { size: 2 } }),
    ]
    const steps = [
      metadataOf('create-replacement', 'a', { old, new: next, keys: ['size'], logical: false }),
      metadataOf('replace', 'a', { old, new: next, keys: ['size'] }),
      metadataOf('delete-replaced', 'a', { old, new: null, logical: false }),
    ]
    const lines = await printPlain(
      steps.flatMap(metadata => [createPreEvent(metadata), createOutputsEvent(metadata)]),
      { options: { diff: true } },
    )
    expect(lines.slice(0, lines.indexOf(''))).toEqual([
      ' ++ pkg:Thing a created replacement (1.0s)',
      '      id: id-a',
      '      urn: urn:pulumi:dev::site::pkg:index:Thing::a',
      '      provider: urn:pulumi:dev::site::pulumi:providers:pkg::default::id',
      '      replaced for: size',
      '      ~ size: 1 => 2',
      ' +- pkg:Thing a replaced (3.0s)',
      ' -- pkg:Thing a deleted original (1.0s)',
    ])
  })

  test('a preview shows planned steps without durations', async () => {
    const metadata = metadataOf('delete', 'a')
    const lines = await printPlain(
      [createPreEvent(metadata), createOutputsEvent(metadata), createSummary({ delete: 1 })],
      {
        options: { dryRun: true },
      },
    )
    expect(lines).toEqual([' -  pkg:Thing a delete', '', 'Resources:', '    - 1 to delete'])
  })

  test('the summary of a deployment without changes has the unchanged resources, or says so', async () => {
    const lines = ['Resources:', '      2 unchanged', '', 'Duration: 1.0s']
    expect(await printPlain([createSummary({ same: 2 })])).toEqual(lines)
    expect(await printPlain([createSummary({})])).toContain('      no changes')
  })
})

describe('messages and failures', () => {
  test('an error names its resource and URN, and its further lines are indented', async () => {
    const metadata = metadataOf('create', 'a')
    const lines = await printPlain([
      createPreEvent(metadata),
      {
        diagnosticEvent: {
          urn: thingUrnOf('a'),
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
      `      ${thingUrnOf('a')}`,
      ' +  pkg:Thing a creating failed (2.0s)',
      '',
      'Resources:',
      '      1 failed: a',
    ])
  })

  test('control characters of programs do not reach the terminal', async () => {
    const message = '\u001b]0;title\u0007\u001b[2Jhello\u0008\r\n'
    const [line] = await printPlain([
      { diagnosticEvent: { message, color: 'raw', severity: 'info' } },
    ])
    expect(line).toBe('    hello')
  })

  test('empty, debug and ephemeral messages are omitted', async () => {
    const base = { color: 'raw', message: 'x', severity: 'info' } as const
    const lines = await printPlain([
      { diagnosticEvent: { ...base, message: ' \n' } },
      { diagnosticEvent: { ...base, severity: 'debug' } },
      { diagnosticEvent: { ...base, ephemeral: true } },
    ])
    expect(lines[0]).toBe('Resources:')
  })
})

describe('the end', () => {
  test('the slowest operations of a long deployment are named', async () => {
    const steps = ['a', 'b', 'c', 'd'].map(name => metadataOf('create', name))
    const lines = await printPlain([
      ...steps.map(createPreEvent),
      ...steps.map(createOutputsEvent),
      ...steps.map(() => createSummary({ create: 4 })),
    ])
    expect(lines.at(-1)).toBe('Duration: 12s, slowest: a 4.0s, b 4.0s, c 4.0s')
  })

  const stack = createStackMetadata(
    'same',
    { url: 'b', count: 2, key: '[secret]' },
    { url: 'a', count: 2 },
  )

  test('outputs are listed, the changed ones with their change', async () => {
    const lines = await printPlain([createPreEvent(stack), createOutputsEvent(stack)])
    expect(lines.slice(0, 4)).toEqual([
      'Outputs:',
      '        count: 2',
      '      + key: [secret]',
      '      ~ url: "a" => "b"',
    ])
  })

  test('a preview has changed outputs only', async () => {
    const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
    const planned = createStackMetadata('same', { url: unknown, count: 2 }, { url: 'a', count: 2 })
    const lines = await printPlain([createPreEvent(planned), createOutputsEvent(planned)], {
      options: { dryRun: true },
    })
    expect(lines.slice(0, 3)).toEqual([
      'Outputs:',
      '      ~ url: "a" => known after the update',
      '',
    ])
  })

  test('a preview has the lines around changed lines of an output', async () => {
    const planned = createStackMetadata('same', { text: 'a\nb\nd\n' }, { text: 'a\nb\nc\n' })
    const lines = await printPlain([createPreEvent(planned), createOutputsEvent(planned)], {
      options: { dryRun: true },
    })
    expect(lines.slice(1, 6).map(line => line.trim())).toEqual([
      '~ text:',
      '"a"',
      '"b"',
      '- "c"',
      '+ "d"',
    ])
  })

  test('in a job of GitHub, the rows are a group, and the summary is below it', async () => {
    const lines = await printPlain(
      [createOutputsEvent(metadataOf('create', 'a')), { cancelEvent: {} }],
      {
        options: { ciService: 'github' },
      },
    )
    const endIndex = lines.indexOf('::endgroup::')
    expect(endIndex).toBe(0)
    expect(lines.indexOf('Resources:')).toBeGreaterThan(endIndex)
    expect(lines.filter(line => line === '::endgroup::')).toHaveLength(1)
  })

  test('in a job of GitHub, an abandoned display ends its group once', () => {
    const stdout = createRecordingStream()
    const options = createTestDisplayOptions({ stdout, ciService: 'github' })
    const display = createPlainDisplay(options, () => 0)
    display.abandon?.()
    display.abandon?.()
    expect(stdout.text()).toMatch(/^::group::[^]*\n::endgroup::\n$/)
  })

  test('outputs are omitted with suppressOutputs', async () => {
    const lines = await printPlain([createPreEvent(stack), createOutputsEvent(stack)], {
      options: { suppressOutputs: true },
    })
    expect(lines).not.toContain('Outputs:')
  })

  test('operations with an unknown result are listed, with the commands that resolve them', async () => {
    const pending = [{ urn: thingUrnOf('a'), type: 'pkg:index:Thing' }]
    const lines = await printPlain([], { result: { ...succeeded, result: 'interrupted', pending } })
    const twice = { ...succeeded, pending: [...pending, ...pending] }
    expect((await printPlain([], { result: twice })).join('\n')).toContain('a (2 operations)')
    expect(lines).toContain('    pkg:index:Thing a')
    expect(lines).toContain(`      ${thingUrnOf('a')}`)
    expect(lines.at(-1)).toContain('state pending import')
  })
})

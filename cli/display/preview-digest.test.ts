import { describe, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import {
  toMaskedResource,
  type PreviewDigestStates,
} from '../../shared/engine/events/preview-digest-states.ts'
import { createResourceState } from '../../shared/state/resource.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { secretOf } from '../../shared/values/value.ts'
import { createDigestDisplay } from './preview-digest.ts'
import {
  createRecordingStream,
  createTestDisplayOptions,
  metadataOf,
  createStackMetadata,
  thingUrnOf,
} from './display.fixture.ts'

type EmittedEvent = readonly [event: EngineEventPayload, states?: PreviewDigestStates]

/** Returns the digest of these events, parsed and as text. */
function printDigest(
  events: readonly EmittedEvent[],
  options: Parameters<typeof createTestDisplayOptions>[0] = {},
) {
  const stdout = createRecordingStream()
  let ns = 0n
  const digest = createDigestDisplay(
    createTestDisplayOptions({ ...options, stdout }),
    () => (ns += 1_500n),
  )
  for (const [event, states] of events)
    digest.emit(event, states === undefined ? undefined : () => states)
  void digest.finish({ result: 'succeeded', changes: {}, hasChanges: false, pending: [] })
  return { text: stdout.text(), json: JSON.parse(stdout.text()) as Record<string, unknown> }
}

const createPreEvent = (...step: Parameters<typeof metadataOf>): EngineEventPayload => ({
  resourcePreEvent: { metadata: metadataOf(...step), planning: true },
})
const createOutputsEvent = (...step: Parameters<typeof metadataOf>): EngineEventPayload => ({
  resOutputsEvent: { metadata: metadataOf(...step), planning: true },
})

const opsOf = (json: Record<string, unknown>): unknown =>
  (json['steps'] as { readonly op: string; readonly urn: string }[]).map(({ op }) => op)

describe('the digest', () => {
  test('has configuration, steps, messages, duration and counts, in this order', () => {
    const { json } = printDigest([
      [{ preludeEvent: { config: { 'p:b': '2', 'p:a': '[secret]' } } }],
      [createPreEvent('create', 'a', { provider: 'ref' })],
      [{ diagnosticEvent: { prefix: 'warning: ', message: 'oh', color: '', severity: 'warning' } }],
      [{ diagnosticEvent: { message: 'psst', color: '', severity: 'debug' } }],
      [{ diagnosticEvent: { message: '…', color: '', severity: 'info', ephemeral: true } }],
      [
        {
          summaryEvent: {
            maybeCorrupt: false,
            durationSeconds: 1,
            resourceChanges: { same: 1, create: 2 },
            PolicyPacks: {},
            isPreview: true,
            result: 'succeeded',
          },
        },
      ],
    ])
    expect(Object.keys(json)).toEqual([
      'config',
      'steps',
      'diagnostics',
      'duration',
      'changeSummary',
    ])
    expect(Object.keys(json['config'] as object)).toEqual(['p:a', 'p:b'])
    expect(json).toMatchObject({
      steps: [{ op: 'create', urn: thingUrnOf('a'), provider: 'ref', detailedDiff: null }],
      diagnostics: [{ message: 'warning: oh', severity: 'warning' }],
      duration: 1_500,
      changeSummary: { create: 2, same: 1 },
    })
  })

  test('contains the reasons of a step, path by path', () => {
    const detailedDiff = {
      b: { diffKind: 'update-replace', inputDiff: true },
      a: { diffKind: 'add', inputDiff: false },
    }
    const { json } = printDigest([
      [createPreEvent('replace', 'a', { keys: ['b'], diffs: ['a', 'b'], detailedDiff })],
    ])
    expect(json['steps']).toMatchObject([
      {
        diffReasons: ['a', 'b'],
        replaceReasons: ['b'],
        detailedDiff: {
          a: { kind: 'add', inputDiff: false },
          b: { kind: 'update-replace', inputDiff: true },
        },
      },
    ])
  })

  test('shows whole states without secrets', () => {
    const state = createResourceState({
      urn: thingUrnOf('a') as Urn,
      type: 'pkg:index:Thing',
      custom: true,
      inputs: new Map([['password', secretOf('hunter2')]]),
      dependencies: [thingUrnOf('b') as Urn],
    })
    const states = { old: undefined, new: toMaskedResource(state) }
    const { json, text } = printDigest([[createPreEvent('create', 'a'), states]])
    expect(json['steps']).toMatchObject([
      { newState: { inputs: { password: '[secret]' }, dependencies: [thingUrnOf('b')] } },
    ])
    expect(text).not.toContain('hunter2')
  })

  test('omits by default unchanged resources except the stack, and steps of a replacement except replace', () => {
    const events: readonly EmittedEvent[] = [
      [{ resourcePreEvent: { metadata: createStackMetadata('same', {}), planning: true } }],
      [createPreEvent('same', 'a')],
      [createPreEvent('create-replacement', 'b', { logical: false })],
      [createPreEvent('replace', 'b')],
      [createPreEvent('delete-replaced', 'b', { logical: false })],
    ]
    expect(opsOf(printDigest(events).json)).toEqual(['same', 'replace'])
    const showAll = { showSames: true, showReplacementSteps: true }
    expect(opsOf(printDigest(events, showAll).json)).toEqual([
      'same',
      'same',
      'create-replacement',
      'replace',
      'delete-replaced',
    ])
  })

  test('contains the update or delete of a refresh that found drift, instead of the refresh', () => {
    const refresh = { logical: false }
    const { json } = printDigest([
      [createPreEvent('refresh', 'a', refresh)],
      [createPreEvent('refresh', 'b', refresh)],
      [createPreEvent('refresh', 'c', refresh)],
      [
        createOutputsEvent('update', 'b', {
          detailedDiff: { v: { diffKind: 'update', inputDiff: false } },
        }),
      ],
      [createOutputsEvent('delete', 'c')],
      [createOutputsEvent('same', 'a')],
    ])
    expect(opsOf(json)).toEqual(['refresh', 'update', 'delete'])
  })

  test('hides the stack outputs with suppressOutputs', () => {
    const metadata = createStackMetadata('update', { url: 'x' }, {})
    const events: readonly EmittedEvent[] = [[{ resourcePreEvent: { metadata, planning: true } }]]
    expect(printDigest(events, { suppressOutputs: true }).text).not.toContain('url')
    expect(printDigest(events).text).toContain('url')
  })

  test('escapes HTML characters as Go does, and indents by four spaces', () => {
    const { text } = printDigest([
      [{ diagnosticEvent: { message: '<a & b>', color: '', severity: 'info' } }],
    ])
    expect(text).toContain(String.raw`\u003ca \u0026 b\u003e`)
    expect(text).toMatch(/^\{\n {4}"diagnostics"/)
  })
})

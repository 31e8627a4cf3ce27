import { describe, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import { shownResource, type WholeStates } from '../../shared/engine/events/whole-states.ts'
import { resourceState } from '../../shared/state/resource.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { secretOf } from '../../shared/values/value.ts'
import { createDigestDisplay } from './digest.ts'
import { createTape, displayOptions, metadataOf, stackMetadata, thingUrn } from './fixture.ts'

type Told = readonly [event: EngineEventPayload, states?: WholeStates]

/** What is printed of events, parsed and as text. */
function printed(told: readonly Told[], more: Parameters<typeof displayOptions>[0] = {}) {
  const stdout = createTape()
  let ns = 0n
  const digest = createDigestDisplay(displayOptions({ ...more, stdout }), () => (ns += 1_500n))
  for (const [event, states] of told)
    digest.emit(event, states === undefined ? undefined : () => states)
  void digest.finish({ result: 'succeeded', changes: {}, hasChanges: false, pending: [] })
  return { text: stdout.text(), json: JSON.parse(stdout.text()) as Record<string, unknown> }
}

const pre = (...about: Parameters<typeof metadataOf>): EngineEventPayload => ({
  resourcePreEvent: { metadata: metadataOf(...about), planning: true },
})
const outputs = (...about: Parameters<typeof metadataOf>): EngineEventPayload => ({
  resOutputsEvent: { metadata: metadataOf(...about), planning: true },
})

const opsOf = (json: Record<string, unknown>): unknown =>
  (json['steps'] as { readonly op: string; readonly urn: string }[]).map(({ op }) => op)

describe('the digest', () => {
  test('has configuration, steps, messages, duration and counts, in this order', () => {
    const { json } = printed([
      [{ preludeEvent: { config: { 'p:b': '2', 'p:a': '[secret]' } } }],
      [pre('create', 'a', { provider: 'ref' })],
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
      steps: [{ op: 'create', urn: thingUrn('a'), provider: 'ref', detailedDiff: null }],
      diagnostics: [{ message: 'warning: oh', severity: 'warning' }],
      duration: 1_500,
      changeSummary: { create: 2, same: 1 },
    })
  })

  test('says why, path by path', () => {
    const detailedDiff = {
      b: { diffKind: 'update-replace', inputDiff: true },
      a: { diffKind: 'add', inputDiff: false },
    }
    const { json } = printed([
      [pre('replace', 'a', { keys: ['b'], diffs: ['a', 'b'], detailedDiff })],
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
    const state = resourceState({
      urn: thingUrn('a') as Urn,
      type: 'pkg:index:Thing',
      custom: true,
      inputs: new Map([['password', secretOf('hunter2')]]),
      dependencies: [thingUrn('b') as Urn],
    })
    const states = { old: undefined, new: shownResource(state) }
    const { json, text } = printed([[pre('create', 'a'), states]])
    expect(json['steps']).toMatchObject([
      { newState: { inputs: { password: '[secret]' }, dependencies: [thingUrn('b')] } },
    ])
    expect(text).not.toContain('hunter2')
  })

  test('leaves out sames and the steps of a replacement, unless asked for', () => {
    const told: readonly Told[] = [
      [{ resourcePreEvent: { metadata: stackMetadata('same', {}), planning: true } }],
      [pre('same', 'a')],
      [pre('create-replacement', 'b', { logical: false })],
      [pre('replace', 'b')],
      [pre('delete-replaced', 'b', { logical: false })],
    ]
    expect(opsOf(printed(told).json)).toEqual(['same', 'replace'])
    const asked = { showSames: true, showReplacementSteps: true }
    expect(opsOf(printed(told, asked).json)).toEqual([
      'same',
      'same',
      'create-replacement',
      'replace',
      'delete-replaced',
    ])
  })

  test('has what a refresh found in the place of the refresh', () => {
    const refresh = { logical: false }
    const { json } = printed([
      [pre('refresh', 'a', refresh)],
      [pre('refresh', 'b', refresh)],
      [pre('refresh', 'c', refresh)],
      [outputs('update', 'b', { detailedDiff: { v: { diffKind: 'update', inputDiff: false } } })],
      [outputs('delete', 'c')],
      [outputs('same', 'a')],
    ])
    expect(opsOf(json)).toEqual(['refresh', 'update', 'delete'])
  })

  test('hides outputs of the stack when asked to', () => {
    const metadata = stackMetadata('update', { url: 'x' }, {})
    const told: readonly Told[] = [[{ resourcePreEvent: { metadata, planning: true } }]]
    expect(printed(told, { suppressOutputs: true }).text).not.toContain('url')
    expect(printed(told).text).toContain('url')
  })

  test('escapes as Go does, in four spaces', () => {
    const { text } = printed([
      [{ diagnosticEvent: { message: '<a & b>', color: '', severity: 'info' } }],
    ])
    expect(text).toContain(String.raw`\u003ca \u0026 b\u003e`)
    expect(text).toMatch(/^\{\n {4}"diagnostics"/)
  })
})

import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { type ResourceState, createResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { stepOf } from '../step.ts'
import { failureEndOf, successEndOf } from '../step-end.ts'
import type { EngineEventPayload, StepMetadata, StepState, ReportedPlugin } from './event.ts'
import { emitStepBegin, emitReplaceSteps } from './replace-events.ts'
import { createStepEmitter, type StepEmitter } from './step-emitter.ts'

const type = 'pulumi:providers:aws'
const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::${type}::${name}` as Urn

test('default providers have no events, but their plugins are reported', () => {
  const events: EngineEventPayload[] = []
  const plugins: [string, ReportedPlugin][] = []
  const emitter = createStepEmitter(
    {
      emit: event => void events.push(event),
      reportPlugin: (...plugin) => void plugins.push(plugin),
    },
    { isPreview: true, isRefreshCommand: false, redact: text => text },
  )
  const internal = new Map([['pluginDownloadURL', 'https://a.example']])
  const providers: readonly [string, PropertyMap][] = [
    ['default_6_1_0', new Map([['version', '6.1.0']])],
    [
      'west',
      new Map<string, PropertyMap | string>([
        ['region', 'w'],
        ['__internal', internal],
      ]),
    ],
  ]
  for (const [name, inputs] of providers) {
    const next = createResourceState({ urn: urnOf(name), type, custom: true, inputs })
    emitter.emitBegin(stepOf({ op: 'create', effect: 'add', next }))
  }
  expect(events).toHaveLength(1)
  expect(plugins).toEqual([
    [urnOf('default_6_1_0'), { version: '6.1.0', downloadUrl: '' }],
    [urnOf('west'), { version: '', downloadUrl: 'https://a.example' }],
  ])
})

test('debug messages are reported only if they were requested', () => {
  const readDiagnostics = (debug: boolean): readonly string[] => {
    const texts: string[] = []
    const emitter = createStepEmitter(
      {
        emit: event => {
          if ('diagnosticEvent' in event) texts.push(event.diagnosticEvent.message)
        },
      },
      { isPreview: false, isRefreshCommand: false, redact: text => text, debug },
    )
    const diagnosticEvent = { message: 'thought', color: 'raw', severity: 'debug' } as const
    emitter.emit({ diagnosticEvent })
    emitter.report('debug', 'deep thought')
    emitter.report('info', 'words')
    return texts
  }
  expect(readDiagnostics(false)).toEqual(['words'])
  expect(readDiagnostics(true)).toEqual(['thought', 'deep thought', 'words'])
})

const stateOf = (id: string, v: number) =>
  createResourceState({
    urn: 'urn:pulumi:dev::shop::a:b:C::x' as Urn,
    type: 'a:b:C',
    custom: true,
    id,
    inputs: new Map([['v', v]]),
    outputs: new Map(id === '' ? [] : [['v', v]]),
  })
const trackedStateOf = (state: ResourceState) => ({
  state,
  ref: { kind: 'base', epoch: 1, index: 0, urn: state.urn } as const,
})

/**
 * Returns one line for each event: its kind, operation, old state and new state. A state begins
 * with its id, or `?` if that is empty. Then it has `,` with the output `v`, if there is one, and
 * `!` if it is marked for deletion.
 */
function formatEvents(
  run: (emitter: StepEmitter) => void,
  isRefreshCommand = false,
): readonly string[] {
  const lines: string[] = []
  const formatState = (state: StepState | null): string =>
    state === null
      ? 'none'
      : `${state.id || '?'}${'v' in state.outputs ? `,${String(state.outputs['v'])}` : ''}${state.delete ? '!' : ''}`
  const emit = (event: EngineEventPayload): void => {
    const [kind] = Object.keys(event)
    const [{ metadata }] = Object.values(event) as [{ readonly metadata?: StepMetadata }]
    if (metadata === undefined) return
    const { op, old, new: next, logical = false } = metadata
    lines.push(
      `${kind} ${op} ${formatState(old)} > ${formatState(next)}${logical ? '' : ', not logical'}`,
    )
  }
  run(createStepEmitter({ emit }, { isPreview: false, isRefreshCommand, redact: text => text }))
  return lines
}

test('the new state is the planned one before a step, and the resulting one after it', () => {
  const old = trackedStateOf(stateOf('x-1', 1))
  const same = stepOf({ op: 'same', effect: 'replace', old, next: stateOf('x-1', 1) })
  const update = stepOf({ op: 'update', effect: 'replace', old, next: stateOf('', 2) })
  const refused = failureEndOf({ message: 'no', status: 'ok' })
  expect(
    formatEvents(emitter => {
      emitter.emitBegin(same)
      emitter.emitEnd(same, successEndOf(same.next))
      emitter.emitBegin(update)
      emitter.emitEnd(update, refused)
    }),
  ).toEqual([
    'resourcePreEvent same x-1,1 > ?',
    'resOutputsEvent same x-1,1 > x-1,1',
    'resourcePreEvent update x-1,1 > ?',
    'resOpFailedEvent update x-1,1 > x-1',
  ])
})

test('a refresh is reported from the recorded to the read state, and is not a logical step', () => {
  const step = stepOf({ op: 'refresh', effect: 'replace', old: trackedStateOf(stateOf('x-1', 1)) })
  const stepEnd = successEndOf(stateOf('x-1', 2), 'update')
  expect(
    formatEvents(emitter => {
      emitter.emitBegin(step)
      emitter.emitEnd(step, stepEnd)
    }, true),
  ).toEqual([
    'resourcePreEvent refresh x-1,1 > x-1,1, not logical',
    'resOutputsEvent update x-1,1 > x-1,2, not logical',
  ])
})

test('a replacement is reported after the create, with the old state marked for deletion', () => {
  const old = trackedStateOf(stateOf('x-1', 1))
  const step = stepOf({ op: 'create-replacement', effect: 'add-mark', old, next: stateOf('', 2) })
  const end = successEndOf(stateOf('x-2', 2))
  const replaceEnd = { step, end, trackedState: undefined }
  expect(
    formatEvents(emitter => {
      emitStepBegin(emitter, step)
      emitter.emitEnd(step, end)
      emitReplaceSteps(emitter, [replaceEnd], true)
    }),
  ).toEqual([
    'resourcePreEvent create-replacement x-1,1 > ?, not logical',
    'resOutputsEvent create-replacement x-1,1! > x-2,2, not logical',
    'resourcePreEvent replace x-1,1! > x-2,2',
    'resOutputsEvent replace x-1,1! > x-2,2',
  ])
})

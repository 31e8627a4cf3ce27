import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { type ResourceState, resourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { stepOf } from '../step.ts'
import { failed, succeeded } from '../step-end.ts'
import type { EngineEventPayload, StepMetadata, StepState, ToldPlugin } from './event.ts'
import { tellBegin, tellReplaces } from './replaces.ts'
import { createStepEmitter, type StepEmitter } from './step-emitter.ts'

const type = 'pulumi:providers:aws'
const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::${type}::${name}` as Urn

test('of default providers there are no events, but who asks is told of their plugins', () => {
  const events: EngineEventPayload[] = []
  const plugins: [string, ToldPlugin][] = []
  const emitter = createStepEmitter(
    { emit: event => void events.push(event), provider: (...told) => void plugins.push(told) },
    { planning: true, refreshCommand: false, scrub: text => text },
  )
  const internal = new Map([['pluginDownloadURL', 'https://a.example']])
  const given: readonly [string, PropertyMap][] = [
    ['default_6_1_0', new Map([['version', '6.1.0']])],
    [
      'west',
      new Map<string, PropertyMap | string>([
        ['region', 'w'],
        ['__internal', internal],
      ]),
    ],
  ]
  for (const [name, inputs] of given) {
    const next = resourceState({ urn: urnOf(name), type, custom: true, inputs })
    emitter.pre(stepOf({ op: 'create', effect: 'add', next }))
  }
  expect(events).toHaveLength(1)
  expect(plugins).toEqual([
    [urnOf('default_6_1_0'), { version: '6.1.0', downloadUrl: '' }],
    [urnOf('west'), { version: '', downloadUrl: 'https://a.example' }],
  ])
})

test('messages for debugging are told to those who asked for them only', () => {
  const said = (debug: boolean): readonly string[] => {
    const texts: string[] = []
    const emitter = createStepEmitter(
      {
        emit: event => {
          if ('diagnosticEvent' in event) texts.push(event.diagnosticEvent.message)
        },
      },
      { planning: false, refreshCommand: false, scrub: text => text, debug },
    )
    const diagnosticEvent = { message: 'thought', color: 'raw', severity: 'debug' } as const
    emitter.emit({ diagnosticEvent })
    emitter.diagnostic('debug', 'deep thought')
    emitter.diagnostic('info', 'words')
    return texts
  }
  expect(said(false)).toEqual(['words'])
  expect(said(true)).toEqual(['thought', 'deep thought', 'words'])
})

const thing = (id: string, v: number) =>
  resourceState({
    urn: 'urn:pulumi:dev::shop::a:b:C::x' as Urn,
    type: 'a:b:C',
    custom: true,
    id,
    inputs: new Map([['v', v]]),
    outputs: new Map(id === '' ? [] : [['v', v]]),
  })
const tracked = (state: ResourceState) => ({
  state,
  ref: { kind: 'base', epoch: 1, index: 0, urn: state.urn } as const,
})

/** Old and new state of each event, as `id`, `id,v` with outputs, `!` when it is to be deleted. */
function toldOf(run: (emitter: StepEmitter) => void, refreshCommand = false): readonly string[] {
  const lines: string[] = []
  const shown = (state: StepState | null): string =>
    state === null
      ? 'none'
      : `${state.id || '?'}${'v' in state.outputs ? `,${String(state.outputs['v'])}` : ''}${state.delete ? '!' : ''}`
  const emit = (event: EngineEventPayload): void => {
    const [kind] = Object.keys(event)
    const [{ metadata }] = Object.values(event) as [{ readonly metadata?: StepMetadata }]
    if (metadata === undefined) return
    const { op, old, new: next, logical = false } = metadata
    lines.push(`${kind} ${op} ${shown(old)} > ${shown(next)}${logical ? '' : ', not logical'}`)
  }
  run(createStepEmitter({ emit }, { planning: false, refreshCommand, scrub: text => text }))
  return lines
}

test('before a step the new state is what is wished for, after it what came of it', () => {
  const old = tracked(thing('x-1', 1))
  const same = stepOf({ op: 'same', effect: 'replace', old, next: thing('x-1', 1) })
  const update = stepOf({ op: 'update', effect: 'replace', old, next: thing('', 2) })
  const refused = failed({ message: 'no', status: 'ok' })
  expect(
    toldOf(emitter => {
      emitter.pre(same)
      emitter.ended(same, succeeded(same.next))
      emitter.pre(update)
      emitter.ended(update, refused)
    }),
  ).toEqual([
    'resourcePreEvent same x-1,1 > ?',
    'resOutputsEvent same x-1,1 > x-1,1',
    'resourcePreEvent update x-1,1 > ?',
    'resOpFailedEvent update x-1,1 > x-1',
  ])
})

test('a refresh is told from what is there to what was found, and is no logical step', () => {
  const step = stepOf({ op: 'refresh', effect: 'replace', old: tracked(thing('x-1', 1)) })
  const found = succeeded(thing('x-1', 2), 'update')
  expect(
    toldOf(emitter => {
      emitter.pre(step)
      emitter.ended(step, found)
    }, true),
  ).toEqual([
    'resourcePreEvent refresh x-1,1 > x-1,1, not logical',
    'resOutputsEvent update x-1,1 > x-1,2, not logical',
  ])
})

test('a replacement is told once it is made, of a copy that is to be deleted', () => {
  const old = tracked(thing('x-1', 1))
  const step = stepOf({ op: 'create-replacement', effect: 'add-mark', old, next: thing('', 2) })
  const end = succeeded(thing('x-2', 2))
  const made = { step, end, tracked: undefined }
  expect(
    toldOf(emitter => {
      tellBegin(emitter, step)
      emitter.ended(step, end)
      tellReplaces(emitter, [made])
    }),
  ).toEqual([
    'resourcePreEvent create-replacement x-1,1 > ?, not logical',
    'resOutputsEvent create-replacement x-1,1! > x-2,2, not logical',
    'resourcePreEvent replace x-1,1! > x-2,2',
    'resOutputsEvent replace x-1,1! > x-2,2',
  ])
})

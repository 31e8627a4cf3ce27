import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { resourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { stepOf } from '../step.ts'
import type { EngineEventPayload, ToldPlugin } from './event.ts'
import { createStepEmitter } from './step-emitter.ts'

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

import { expect, test } from 'vitest'
import type { EngineEventPayload, StepState } from '../../shared/engine/events/event.ts'
import { parseImportFile } from './import-file.ts'
import { draftImportFile } from './draft-import-file.ts'
import type { Urn } from '../../shared/names/urn.ts'

const root = 'urn:pulumi:dev::site::pulumi:pulumi:Stack::site-dev'
const urnOf = (type: string, name: string): string => `urn:pulumi:dev::site::${type}::${name}`

/** Creates the event of a step of a preview. */
function createStep(
  op: 'create' | 'same',
  type: string,
  name: string,
  more: Partial<StepState> = {},
) {
  const urn = urnOf(type, name)
  const state = {
    type,
    urn,
    custom: true,
    id: '',
    parent: root,
    provider: '',
    inputs: {},
    outputs: {},
    ...more,
  }
  const old = op === 'same' ? state : null
  const metadata = { op, urn, type, old, new: state, detailedDiff: null, provider: state.provider }
  return { resourcePreEvent: { metadata } } satisfies EngineEventPayload
}

const explicitProvider = urnOf('pulumi:providers:aws', 'west')
const defaultProvider = urnOf('pulumi:providers:aws', 'default_6_1_0')
const plugin = { version: '6.1.0', downloadUrl: 'https://a.example' }
const plugins = new Map([[defaultProvider as Urn, plugin]])
const draftFrom = (...events: readonly EngineEventPayload[]) => draftImportFile({ events, plugins })

test('each create except the stack becomes a resource, and existing parents and explicit providers are in the name table', () => {
  const { file, omittedProperties } = draftFrom(
    createStep('create', 'pulumi:pulumi:Stack', 'site-dev', {
      urn: root,
      custom: false,
      parent: '',
    }),
    createStep('same', 'pulumi:providers:aws', 'west', { id: 'p1', inputs: { region: 'w' } }),
    createStep('same', 'app:index:Site', 'old', { custom: false }),
    createStep('create', 'app:index:Site', 'made', { custom: false }),
    createStep('create', 'aws:s3/bucket:Bucket', 'a', { provider: `${defaultProvider}::x` }),
    createStep('create', 'aws:s3/bucket:Bucket', 'b', {
      parent: urnOf('app:index:Site', 'old'),
      provider: `${explicitProvider}::p1`,
    }),
    createStep('create', 'aws:s3/bucket:Bucket', 'c', {
      parent: urnOf('app:index:Site', 'made'),
      provider: `${defaultProvider}::x`,
    }),
    createStep('create', 'app:index:Far', 'far', {
      custom: false,
      provider: `${explicitProvider}::p1`,
    }),
  )
  const bucket = { type: 'aws:s3/bucket:Bucket', id: '<PLACEHOLDER>' }
  const provider = { version: '6.1.0', pluginDownloadUrl: 'https://a.example' }
  expect(file).toEqual({
    nameTable: { old: urnOf('app:index:Site', 'old'), west: explicitProvider },
    resources: [
      { type: 'app:index:Site', name: 'made', component: true },
      { ...bucket, name: 'a', ...provider },
      { ...bucket, name: 'b', parent: 'old', provider: 'west' },
      { ...bucket, name: 'c', parent: 'made', ...provider },
      { type: 'app:index:Far', name: 'far', provider: 'west', component: true, remote: true },
    ],
  })
  expect(omittedProperties).toEqual([])
  expect(parseImportFile(JSON.stringify(file), 'x').resources).toHaveLength(5)
})

test('resources with the same name get unique names, and keep their logical name', () => {
  const { file } = draftFrom(
    createStep('create', 'a:b:One', 'x'),
    createStep('create', 'a:b:two', 'x'),
    createStep('create', 'a:b:c/two:two', 'x'),
    createStep('create', 'a:b:One', 'xTwo'),
  )
  expect(file.resources?.map(({ name, logicalName }) => [name, logicalName])).toEqual([
    ['x', undefined],
    ['xTwo2', 'x'],
    ['xTwo3', 'x'],
    ['xTwo', undefined],
  ])
})

test('an existing parent without an event gets a name that no resource of the file has', () => {
  const parent = urnOf('app:index:Site', 'x')
  const { file } = draftFrom(
    createStep('create', 'a:b:One', 'x'),
    createStep('create', 'a:b:Two', 'y', { parent }),
  )
  expect(file.nameTable).toEqual({ xSite: parent })
  expect(file.resources?.map(({ name, parent: parentName }) => [name, parentName])).toEqual([
    ['x', undefined],
    ['y', 'xSite'],
  ])
})

test('a provider has its configuration without secret and unknown values', () => {
  const { file, omittedProperties } = draftFrom(
    createStep('create', 'pulumi:providers:aws', 'west', {
      inputs: {
        region: 'w',
        token: '[secret]',
        zones: ['a', '04da6b54-80e4-46f7-96ec-b56ff0331ba9'],
      },
    }),
  )
  const inputs = { region: 'w' }
  expect(file.resources).toEqual([{ type: 'pulumi:providers:aws', name: 'west', inputs }])
  expect(omittedProperties).toEqual([{ urn: explicitProvider, properties: ['token', 'zones'] }])
})

test('a preview without creates results in an empty file', () => {
  expect(draftFrom(createStep('same', 'a:b:One', 'x')).file).toEqual({})
})

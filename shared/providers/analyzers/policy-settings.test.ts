import { expect, test } from 'vitest'
import type { PackInfo, PolicyInfo, PolicySettings } from './analyzer.ts'
import {
  readPolicySettings,
  mergeSettings,
  applyPolicySettings,
  validateSettings,
} from './policy-settings.ts'

const createPolicy = (name: string, fields: Partial<PolicyInfo> = {}): PolicyInfo => ({
  name,
  enforcement: 'advisory',
  kind: 'resource',
  severity: '',
  schema: { properties: {}, required: [] },
  ...fields,
})

const createPack = (...policies: PolicyInfo[]): PackInfo => ({
  name: 'pack',
  version: '1',
  takesSettings: true,
  policies,
  settings: new Map(),
})

const noSettings = new Map<string, PolicySettings>()

test('a file contains levels, or objects with a level and properties', () => {
  const text = '{"a":"mandatory","b":{"enforcementLevel":"disabled","max":3},"c":{}}'
  expect(readPolicySettings(text, 'f.json')).toEqual(
    new Map([
      ['a', { enforcement: 'mandatory', properties: {} }],
      ['b', { enforcement: 'disabled', properties: { max: 3 } }],
    ]),
  )
  expect(readPolicySettings('  ', 'f.json')).toEqual(noSettings)
})

test.each([
  ['{', /is not valid JSON/],
  ['[]', /does not contain an object/],
  ['{"a":1}', /a value for 'a' that is neither a level nor an object/],
  ['{"a":"strict"}', /"strict" for 'a'/],
  ['{"a":{"enforcementLevel":2}}', /invalid enforcement level 2 for 'a'/],
  ['{"environments":["x"]}', /environments/],
])('%s is refused with an error that names the file', (text, message) => {
  expect(() => readPolicySettings(text, 'f.json')).toThrow(message)
  expect(() => readPolicySettings(text, 'f.json')).toThrow(/f\.json/)
})

test('settings of the user override those of the program, which override the defaults, and an entry of a policy overrides `all`', () => {
  const schema = { properties: { max: { type: 'number', default: 1 } }, required: [] }
  const info = {
    ...createPack(createPolicy('a', { schema }), createPolicy('b')),
    settings: new Map([['a', { enforcement: 'mandatory', properties: { max: 2 } }]] as const),
  }
  const configured = new Map<string, PolicySettings>([
    ['all', { enforcement: 'disabled', properties: {} }],
    ['b', { enforcement: 'remediate', properties: {} }],
  ])
  const settings = mergeSettings(info, configured)
  expect(settings.get('a')).toEqual({ enforcement: 'disabled', properties: { max: 2 } })
  expect(settings.get('b')).toEqual({ enforcement: 'remediate', properties: {} })
  expect(mergeSettings(info, noSettings).get('a')).toEqual({
    enforcement: 'mandatory',
    properties: { max: 2 },
  })
  const levels = applyPolicySettings(info, settings).policies.map(({ enforcement }) => enforcement)
  expect(levels).toEqual(['disabled', 'remediate'])
})

test('all settings that violate the schema of a policy are reported', () => {
  const schema = { properties: { max: { type: 'number' } }, required: ['max'] }
  const policies = [
    createPolicy('a', { schema }),
    createPolicy('b', { schema }),
    createPolicy('c', { schema }),
  ]
  const settings = new Map<string, PolicySettings>([
    ['b', { enforcement: '', properties: { max: 'many' } }],
    ['c', { enforcement: '', properties: { max: 3 } }],
  ])
  const messages = validateSettings(policies, settings)
  expect(messages.map(text => text.split(':')[0])).toEqual(['a', 'b'])
})

test('a policy whose schema of a configuration is none is a violation with its name', () => {
  const schemas = [{ oneOf: ['text'] }, { type: 'array', items: 0.5 }, { enum: { length: 2 } }]
  const policies = schemas.map((schema, index) =>
    createPolicy(`p${index}`, { schema: { properties: { max: schema }, required: [] } }),
  )
  const messages = validateSettings(policies, new Map())
  expect(messages.map(text => text.split(': ').slice(0, 2).join(': '))).toEqual(
    ['p0', 'p1', 'p2'].map(name => `${name}: the pack's schema of this configuration is invalid`),
  )
})

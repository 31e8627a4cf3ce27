import { expect, test } from 'vitest'
import type { BlockMessage } from '../client/schema-messages.ts'
import { propertyNamesOf } from '../mapping/property-names.ts'
import { readBlockSchema } from '../mapping/read-schema-messages.ts'
import { createPlanObject } from '../plan/objects.fixture.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { createDetailedDiff } from './detailed-diff.ts'
import {
  createAttributeMessage,
  type PlainObject,
  createSchemaMessage,
} from './scripted-schemas.fixture.ts'

// `o`: the program may set the attribute. `c`: the provider may set it.
const ruleBlock: BlockMessage['blockTypes'][number] = {
  typeName: 'rule',
  block: createSchemaMessage([
    createAttributeMessage('port', 'o', 'number'),
    createAttributeMessage('arn', 'c'),
  ]).block,
  nesting: 'list',
  minItems: 0,
  maxItems: 0,
}
const attributes = [
  createAttributeMessage('label', 'o'),
  createAttributeMessage('note', 'oc'),
  createAttributeMessage('arn', 'c'),
  createAttributeMessage('tags_all', 'c', ['map', 'string']),
]
const block = readBlockSchema(createSchemaMessage(attributes, [ruleBlock]).block)
const names = propertyNamesOf(block)

/** Returns the paths of a diff without replacements. The text `?` is an unknown value. */
const diffPaths = (prior: PlainObject, planned: PlainObject): readonly string[] => {
  const values = {
    prior: createPlanObject(block, prior),
    planned: createPlanObject(block, planned),
  }
  const replacePaths: readonly CtyPath[] = []
  return [...createDetailedDiff({ block, names }, values, replacePaths).keys()]
}

test.each([
  ['an attribute', { arn: 'old' }, { arn: '?' }],
  ['an entry of a map', { tags_all: { a: '1' } }, { tags_all: { a: '2' } }],
  [
    'an attribute of a block',
    { rule: [{ port: 1, arn: 'old' }] },
    { rule: [{ port: 1, arn: '?' }] },
  ],
])('%s that only the provider sets is shown only if nothing else differs', (_, prior, planned) => {
  expect(diffPaths(prior, planned)).toHaveLength(1)
  expect(diffPaths({ ...prior, label: 'a' }, { ...planned, label: 'b' })).toEqual(['label'])
})

test('an attribute that the program may set is shown beside other differences', () => {
  const prior = { label: 'a', note: 'old', rule: [{ port: 1, arn: 'x' }] }
  const planned = { label: 'b', note: '?', rule: [{ port: 2, arn: '?' }] }
  expect(diffPaths(prior, planned)).toEqual(['label', 'note', 'rules[0].port'])
})

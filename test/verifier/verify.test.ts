import { expect, test } from 'vitest'
import { goodExport } from './good-export.ts'
import { verifyExport } from './verify.ts'

const urnOf = (typeAndName: string): string => `urn:pulumi:dev::shop::${typeAndName}`

test('a valid export has no errors, with sealed and with plaintext secrets', () => {
  expect(verifyExport(goodExport)).toEqual([])
})

test('the export of a stack that never ran, without a deployment, has no errors', () => {
  expect(verifyExport('{\n    "version": 3,\n    "deployment": null\n}\n')).toEqual([])
})

test.each<readonly [defect: string, from: string, to: string, complaint: string]>([
  ['a version without features', '"version": 4', '"version": 3', 'version 3 with 2 features'],
  ['an unknown version', '"version": 4', '"version": 5', "the version is '5'"],
  ['an unknown feature', '"taint"\n', '"tainted"\n', "unknown feature 'tainted'"],
  ['an unused feature', '"taint"\n', '"views"\n', "feature 'views' is named but not used"],
  [
    'features out of order',
    '"refreshBeforeUpdate",\n        "taint"',
    '"taint",\n        "refreshBeforeUpdate"',
    'the features are not sorted',
  ],
  ['an unknown field', '"id": "one"', '"id": "one",\n                "x": 1', "unknown field 'x'"],
  ['an empty field', '"id": "one"', '"id": ""', "empty field 'id' is written"],
  [
    'an empty map',
    '"outputs": {\n',
    '"inputs": {},\n                "outputs": {\n',
    'empty field',
  ],
  [
    'fields out of order',
    '"id": "a-2",\n                "type": "gold:index:Thing"',
    '"type": "gold:index:Thing",\n                "id": "a-2"',
    "field 'id' is out of order",
  ],
  ['missing metadata', ',\n        "metadata": {}', '', "field 'metadata' is missing"],
  ['keys out of order', '"9": -0', '"1": -0', "key '1' is not in order"],
  ['keys in the order of UTF-16', '"\uff5e"', '"\u{1f601}"', 'is not in order of UTF-8 bytes'],
  ['other indentation', '    "version"', '  "version"', 'not written as Go writes'],
  ['escaped HTML', '"<&>', '"\\u003c&>', 'not written as Go writes it'],
  ['a number in a long form', '1e+21', '1000000000000000000000', 'not written as Go'],
  ['the wrong magic', 'v3.260.0', 'v3.260.1', 'the magic of the manifest'],
  ['a time with trailing zeros', '08:00:00Z', '08:00:00.640Z', 'created: malformed'],
  ['a resource after its dependent', '"id": "one"', '"id": "two"', 'does not come before it'],
  [
    'a missing dependency',
    `"${urnOf('pulumi:pulumi:Stack::shop-dev')}"\n                ]`,
    `"${urnOf('pulumi:pulumi:Stack::gone')}"\n                ]`,
    'is missing',
  ],
  ['a duplicate name', '"delete": true,\n                ', '', 'not marked for deletion'],
  [
    'a component with an id',
    '"custom": true,\n                "id": "one"',
    '"custom": false,\n                "id": "one"',
    'is not custom',
  ],
  [
    'a type that differs from the URN',
    '"pulumi:providers:gold"',
    '"pulumi:providers:old"',
    'its type is not',
  ],
  ['a broken ciphertext', 'v1:1X96REK2vTN63JLE:', 'v1:1X96REK2vTN6:', 'malformed ciphertext'],
  ['a plaintext that is not JSON', '{\\"a\\":', '{\\"a\\"', 'is not JSON'],
  ['a plaintext with blanks', '[1,null]', '[1, null]', 'is not written compactly'],
  ['an unknown signature', 'c44067f5952c0a294b673a41bacd8c17', 'c44067f5', 'unknown signature'],
  ['an unknown operation', '"creating"', '"making"', "malformed 'making'"],
  ['a broken salt', 'fozI5u6B030=', 'fozI5u6B0=', 'the salt of the manager'],
  [
    'aliases',
    '"customTimeouts"',
    '"aliases": [],\n                "customTimeouts"',
    'aliases are written',
  ],
  ['text after its end', '\n}\n', '\n}\n}\n', 'not JSON'],
])('an export with %s is refused', (_what, from, to, complaint) => {
  expect(goodExport).toContain(from)
  const spoiled = goodExport.replace(from, to)
  expect(verifyExport(spoiled).join('\n')).toContain(complaint)
})

test('secrets must have the requested form', () => {
  expect(verifyExport(goodExport, { sealed: true })).toEqual([
    'envelope.deployment.resources[3].inputs.open: the secret is in plaintext',
  ])
  expect(verifyExport(goodExport, { sealed: false })).toEqual([
    'envelope.deployment.resources[3].inputs.key: the secret is sealed',
  ])
})

import { expect, test } from 'vitest'
import type { Json } from './stored.ts'
import { printEnvelope } from './print-envelope.ts'

function printInputs(inputs: Json): Promise<string> {
  const resource = { urn: 'u', custom: true, type: 't', inputs }
  const manifest = { time: 't', magic: '', version: '' }
  const deployment = { manifest, resources: [resource], metadata: {} }
  return printEnvelope({ version: 3, deployment })
}

test('an envelope is printed with four spaces, empty objects on one line, and a final newline', async () => {
  expect(await printEnvelope({ version: 3, deployment: null })).toBe(
    '{\n    "version": 3,\n    "deployment": null\n}\n',
  )
  expect(await printInputs({ list: [], object: {} })).toContain(
    '"inputs": {\n                    "list": [],\n                    "object": {}\n',
  )
})

test("HTML characters are not escaped, JavaScript's line separators are", async () => {
  expect(await printInputs('<a & b>')).toContain('"<a & b>"')
  expect(await printInputs('a\u2028b\u2029c')).toContain('"a\\u2028b\\u2029c"')
})

test('lone surrogates are replaced', async () => {
  expect(await printInputs('a\ud800b')).toContain('"a\ufffdb"')
})

test('numbers are printed as in Go', async () => {
  expect(await printInputs([1e21, 1e-7, 0.1, -0, 100])).toMatch(
    /1e\+21,\s+1e-7,\s+0\.1,\s+-0,\s+100\s/,
  )
})

test('keys that look like numbers are sorted by bytes', async () => {
  expect(await printInputs({ '10': 1, '9': 2, a: 3 })).toMatch(/"10": 1,\s+"9": 2,\s+"a": 3/)
})

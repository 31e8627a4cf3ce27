import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEnvelope } from '../envelope.ts'
import type { StoredEnvelope } from '../stored.ts'
import { parseEnvelope } from './parse-envelope.ts'
import { createEnvelopeSplitter } from './split-envelope.ts'

const resource = (name: string, more: object = {}) => ({
  urn: `urn:pulumi:dev::shop::a:b:C::${name}`,
  custom: true,
  type: 'a:b:C',
  ...more,
})

async function* splitBytes(text: string, partBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += partBytes)
    yield bytes.subarray(start, start + partBytes)
}

/** Returns the result of a parser, or the code of its error. */
async function resultOf(parse: () => unknown): Promise<unknown> {
  try {
    return await parse()
  } catch (thrown) {
    return thrown instanceof SyntaxError ? 'STATE_INVALID' : (thrown as { code: string }).code
  }
}

const texts = [
  '',
  'null',
  '[]',
  '{"version":3}',
  '{"version":3,"deployment":{"resources":[]}}',
  '{"version":3,"deployment":{"resources":[ \n ]}}',
  '{"version":3,"deployment":{"resources":null}}',
  '{"version":3,"deployment":{"resources":{}}}',
  // The splitter replaces the resources of a list by a mark with this text.
  '{"version":3,"deployment":{"resources":["list 1 of resources"]}}',
  '{"deployment":{"resources":[{"urn":"a","type":"b:c:D"}]},"version":3}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"},]}}',
  '{"version":3,"deployment":{"resources":[,{"urn":"a","type":"t"}]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"},,{"urn":"b","type":"t"}]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"} {"urn":"b","type":"t"}]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}]]}',
  '{"version":3,"deployment":{"resources":[[{"urn":"a","type":"t"}]]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a\\"],","type":"t"}]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}],"resources":[]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}]},"deployment":{}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}]},"deployment":null}',
  '{"version":3,"deployment":{"res\\u006furces":[{"urn":"a","type":"t"}]}}',
  '{"version":3,"deployment":[{"resources":[{"urn":"a","type":"t"}]}]}',
  '{"version":3,"x":{"resources":[1]},"deployment":{"metadata":{"resources":[2]}}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}],"resources":[{"urn":"b","type":"t"}]}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}]},"x":{"deployment":{"resources":[1]}}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}]},"resources":[[1]]}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t"}],"x":{"resources":[2]}}}',
  '{"version":3,"deployment":{"resources":[{"urn":"a","type":"t","inputs":{"__proto__":1}}]}}',
]

test.each(texts)("the result of '%s' in parts is that of the whole text", async text => {
  const expected = await resultOf(() => readEnvelope(JSON.parse(text)))
  for (const partBytes of [1, 2, 7, 1_000])
    expect(await resultOf(() => parseEnvelope(splitBytes(text, partBytes)))).toEqual(expected)
  expect(await resultOf(() => parseEnvelope(text))).toEqual(expected)
})

test('the result of any state in any parts is that of the whole text', async () => {
  const inputs = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  const envelopes = fc.record({
    version: fc.constant(3),
    deployment: fc.record({
      resources: fc.array(
        inputs.map(values => resource('x', { inputs: values })),
        { maxLength: 9 },
      ),
      metadata: inputs,
    }),
  })
  await fc.assert(
    fc.asyncProperty(envelopes, fc.nat(40), fc.nat(2), async (envelope, size, indent) => {
      const text = JSON.stringify(envelope, undefined, indent)
      const whole = readEnvelope(JSON.parse(text))
      expect(await parseEnvelope(splitBytes(text, size + 1))).toEqual(whole)
    }),
  )
})

test('a repeated list of resources replaces the first one, and is not part of the frame', () => {
  const splitter = createEnvelopeSplitter()
  splitter.push(Buffer.from('{"deployment":{"resources":[1],"resources":[2]}}'))
  const { frame, lastList } = splitter.finish()
  expect(JSON.parse(frame)).toEqual({ deployment: { resources: [lastList?.mark] } })
  expect(lastList?.resources).toEqual([2])
})

test('the list of a large state is parsed in batches, and other work continues meanwhile', async () => {
  const list = Array.from({ length: 3_000 }, (_, index) =>
    resource(`r${index}`, { inputs: { text: 'x'.repeat(900) } }),
  )
  let turns = 0
  let isParsed = false
  const parsing = parseEnvelope(JSON.stringify({ version: 3, deployment: { resources: list } }))
  void parsing.then(() => (isParsed = true))
  while (!isParsed) {
    await setImmediate()
    turns += 1
  }
  const { deployment }: StoredEnvelope = await parsing
  expect(deployment?.resources).toEqual(list)
  expect(turns).toBeGreaterThan(10)
})

test('the error of a malformed resource names its position', async () => {
  const resources = [resource('a'), { ...resource('b'), urn: 7 }]
  await expect(
    parseEnvelope(JSON.stringify({ version: 3, deployment: { resources } })),
  ).rejects.toThrow("the deployment is malformed at 'resources.1.urn'")
})

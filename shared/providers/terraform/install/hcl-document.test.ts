import { expect, test } from 'vitest'
import { parseHcl } from './hcl-document.ts'

test('blocks, labels, literal values and comments are parsed', () => {
  const body = parseHcl(
    `# a comment
    plugin_cache_dir = "/var/\\u0063ache" // the cache
    provider "a/b" "second" { /* more
      lines */
      version = "1.0"
      hashes = [
        "h1:a",
        "zh:b",
      ]
      "quoted" = { one = 1, two: true, three = null }
    }
    direct {}`,
    'file',
  )
  expect(body.attributes).toEqual(new Map([['plugin_cache_dir', '/var/cache']]))
  expect(body.blocks).toEqual([
    {
      type: 'provider',
      labels: ['a/b', 'second'],
      body: {
        attributes: new Map<string, unknown>([
          ['version', '1.0'],
          ['hashes', ['h1:a', 'zh:b']],
          ['quoted', { one: 1, two: true, three: null }],
        ]),
        blocks: [],
      },
    },
    { type: 'direct', labels: [], body: { attributes: new Map(), blocks: [] } },
  ])
})

test('objects of a file in JSON become blocks, in the order of the file', () => {
  const text = '{"a": {"direct": [{}, {"x": ["y"]}]}, "b": "text"}'
  const createDirectBlock = (attributes: [string, unknown][]): unknown => ({
    type: 'direct',
    labels: [],
    body: { attributes: new Map(attributes), blocks: [] },
  })
  expect(parseHcl(text, 'file')).toEqual({
    attributes: new Map([['b', 'text']]),
    blocks: [
      {
        type: 'a',
        labels: [],
        body: {
          attributes: new Map(),
          blocks: [createDirectBlock([]), createDirectBlock([['x', ['y']]])],
        },
      },
    ],
  })
})

test.each([
  ['a = "x${b}"', '1:9: templates are not possible here'],
  ['a = b', "1:5: 'b' is not expected"],
  ['a {\n', '2:1: the text ends too early'],
  ['\na = "open\n', '2:6: the text in quotes does not end in its line'],
  ['a = [1 2]', "1:8: '2' is not expected"],
  ['a = 1\na = 2', "2:1: 'a' is set twice"],
  ['a = "\\q"', '1:6: the escape \\q is unknown'],
  ['}', "1:1: '}' is not expected"],
  ['{"a": ', '1:1: it is not valid JSON'],
])('the text %j is refused: %s', (text, problem) => {
  expect(() => parseHcl(text, 'settings')).toThrow(`cannot read settings:${problem}`)
})

test('escaped templates are text', () => {
  expect(parseHcl('a = "$${b} %%{c}"', 'file').attributes.get('a')).toBe('${b} %{c}')
})

test('JSON with thousands of levels is refused', () => {
  const deep = `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`
  expect(() => parseHcl(`{"credentials":${deep}}`, 'f')).toThrow(
    expect.objectContaining({
      code: 'TERRAFORM_FILE_INVALID',
      message: expect.stringContaining('the nesting is too deep') as string,
    }),
  )
})

import { describe, expect, test } from 'vitest'
import { hasCode } from '../errors/error.ts'
import { findSnippet, formatSnippetProgram, readSnippets } from './snippets.ts'

const urn = (name: string): string => `urn:pulumi:dev::shop::gold:index:Thing::${name}`
/** A snippet: a resource that Pulumi Cloud added to a stack as code, without a program. */
const snippet = {
  uuid: 'u1',
  name: 'logs',
  type: 'gold:index:Thing',
  code: 'size = source.size\n\nlabel = "x"\n',
  references: { source: urn('first') },
}
const source = { urn: urn('first'), custom: true, type: 'gold:index:Thing' }

function codeOf(call: () => unknown): string {
  try {
    call()
  } catch (thrown) {
    for (const code of ['SNIPPET_UNKNOWN', 'STATE_INVALID'] as const)
      if (hasCode(thrown, code)) return code
    throw thrown
  }
  return ''
}

describe('findSnippet', () => {
  test('returns the snippet with the name, and keeps unknown fields', () => {
    const stored = { ...snippet, descriptor: { name: 'gold' } }
    expect(findSnippet({ snippets: [stored], resources: [source] }, 'logs')).toEqual(stored)
    expect(readSnippets({ snippets: [{ name: 'x' }] })).toEqual([
      { name: 'x', uuid: '', type: '', code: '', references: {} },
    ])
  })

  test('refuses unknown and ambiguous names, invalid URNs, and references to other snippets', () => {
    const twice = { ...snippet, uuid: 'u2' }
    const invalid = { ...snippet, references: { source: 'first' } }
    const owned = { ...source, snippetID: 'u3' }
    expect([
      codeOf(() => findSnippet({}, 'logs')),
      codeOf(() => findSnippet({ snippets: [snippet, twice] }, 'logs')),
      codeOf(() => findSnippet({ snippets: [invalid] }, 'logs')),
      codeOf(() => findSnippet({ snippets: [snippet], resources: [owned] }, 'logs')),
      codeOf(() => findSnippet({ snippets: [1] }, 'logs')),
    ]).toEqual(['SNIPPET_UNKNOWN', ...Array.from({ length: 4 }, () => 'STATE_INVALID')])
  })
})

test('formatSnippetProgram declares the references, and indents the code', () => {
  expect(formatSnippetProgram(snippet)).toBe(
    `# Placeholder for ${urn('first')}; replace with the real resource reference in your program.
resource "source" "gold:index:Thing" {
\t__logicalName = "first"
}

resource "logs" "gold:index:Thing" {
\tsize = source.size

\tlabel = "x"
}
`,
  )
  expect(formatSnippetProgram({ ...snippet, code: '', references: {} })).toBe(
    'resource "logs" "gold:index:Thing" {}\n',
  )
})

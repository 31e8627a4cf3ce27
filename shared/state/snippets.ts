import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { parseForm } from '../values/parse-form.ts'
import { isUrn, nameOf, parseUrn, typeOf } from '../names/urn.ts'
import type { StoredDeployment } from './stored.ts'

const snippetForm = z.looseObject({
  uuid: z.string().default(''),
  name: z.string(),
  type: z.string().default(''),
  code: z.string().default(''),
  references: z.record(z.string(), z.string()).default({}),
})

/**
 * A resource that Pulumi Cloud added to a stack as code of Pulumi's configuration language. `code`:
 * the lines of its body. `references`: the URN of each identifier of the code.
 */
export type Snippet = z.infer<typeof snippetForm>

/**
 * Returns the snippets of a state, in its order. Throws STATE_INVALID for a snippet of another
 * form. Source: sdk/go/common/apitype/core.go, SnippetV1, v3.274.1.
 */
export function readSnippets({
  snippets = [],
}: Pick<StoredDeployment, 'snippets'>): readonly Snippet[] {
  return snippets.map((snippet, index) => {
    const parsed = parseForm(snippetForm, snippet)
    if (parsed.success) return parsed.data
    throw createError('STATE_INVALID', `the snippet ${index + 1} of the state has an invalid form`)
  })
}

/**
 * Returns the snippet with a name. Its references must be to resources that no snippet registered,
 * because the generated program declares the referenced resources itself. Throws SNIPPET_UNKNOWN,
 * and STATE_INVALID for two snippets of one name, an invalid URN, and a reference to another
 * snippet. Source: pkg/cmd/pulumi/state/state_promote.go, resolveSnippetForPromote and
 * validateSnippetPromoteReferences, v3.274.1.
 */
export function findSnippet(
  state: Pick<StoredDeployment, 'resources' | 'snippets'>,
  name: string,
): Snippet {
  const [snippet, ...others] = readSnippets(state).filter(candidate => candidate.name === name)
  if (snippet === undefined)
    throw createError('SNIPPET_UNKNOWN', `no snippet named '${name}' exists in the current state`)
  if (others.length > 0)
    throw createError(
      'STATE_INVALID',
      `${others.length + 1} snippets of the state are named '${name}'`,
    )
  for (const [identifier, urn] of Object.entries(snippet.references)) {
    if (!isUrn(urn))
      throw createError(
        'STATE_INVALID',
        `the reference '${identifier}' of '${name}' is no URN: ${urn}`,
      )
    const target = state.resources?.find(resource => resource.urn === urn)
    if (typeof target?.['snippetID'] === 'string' && target['snippetID'] !== '')
      throw createError(
        'STATE_INVALID',
        `the reference '${identifier}' of '${name}' points to '${urn}', which another snippet registered`,
        { hint: 'Promote the snippet in Pulumi Cloud, or remove its reference there first.' },
      )
  }
  return snippet
}

/**
 * Returns a snippet as a program of Pulumi's configuration language: an empty resource for each
 * reference, sorted by identifier, and the resource of the snippet. Source:
 * pkg/cmd/pulumi/state/state_promote.go, snippetPCLSource, v3.274.1.
 */
export function formatSnippetProgram({ name, type, code, references }: Snippet): string {
  const placeholders = Object.keys(references)
    .sort()
    .map(identifier => formatPlaceholder(identifier, references[identifier] ?? ''))
  const lines = code.replace(/\n+$/, '').split('\n')
  const body = lines.map(line => (line === '' ? '' : `\t${line}`)).join('\n')
  const block = code.trim() === '' ? '' : `\n${body}\n`
  return [...placeholders, `resource ${quote(name)} ${quote(type)} {${block}}\n`].join('')
}

function formatPlaceholder(identifier: string, urn: string): string {
  const parsedUrn = parseUrn(urn)
  const name = nameOf(parsedUrn)
  const logicalName = name === identifier ? '' : `\t__logicalName = ${quote(name)}\n`
  return (
    `# Placeholder for ${urn}; replace with the real resource reference in your program.\n` +
    `resource ${quote(identifier)} ${quote(typeOf(parsedUrn))} {\n${logicalName}}\n\n`
  )
}

/** Quotes a name or a type for a label, in which backslashes and quotes are escaped. */
const quote = (text: string): string => JSON.stringify(text)

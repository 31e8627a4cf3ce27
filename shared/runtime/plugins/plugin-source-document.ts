import * as z from 'zod'
import {
  type DocumentKey,
  type DocumentsPort,
  type SealingPort,
  sealingContextOf,
} from '../../ports/documents.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { readDocumentsOf } from '../../triggers/read-documents.ts'
import { matchesGlob } from '../../triggers/webhooks/glob.ts'

/**
 * A pattern of sources, such as `pulumi/*`. The first part names the owner and must not contain a
 * wildcard.
 */
const patternForm = z
  .string()
  .max(300)
  .regex(
    /^(?:https?:\/\/|github:\/\/|gitlab:\/\/)?[\w.:@-]+(?:\/[\w.:@${}%+~*?-]+)+$/,
    'must be a source such as pulumi/*, without a wildcard in its first part',
  )

/** An allowed source of plugins, with a sealed credential. */
export const pluginSourceDocument = z.strictObject({
  source: patternForm,
  /** The sealed credential with which the plugins of the source are read. */
  credential: z.string().optional(),
})

/** An allowed source as an administrator sends it, with the credential in plaintext. */
export const pluginSourceDraft = pluginSourceDocument.extend({
  credential: z.string().min(1).max(4_000).optional(),
})

/** An allowed source, with the key of its document. */
export interface AllowedSource extends z.infer<typeof pluginSourceDocument> {
  readonly key: DocumentKey
}

/** Returns the document key of an allowed source, which belongs to no stack. */
export function pluginSourceKeyOf(name: string): DocumentKey {
  return { kind: 'plugin-source', scope: '*', name }
}

/** Seals the credential of an allowed source. Throws STORE_UNAVAILABLE and SECRETS_KEY_UNUSABLE. */
export async function sealPluginSource(
  sealing: SealingPort,
  key: DocumentKey,
  { source, credential }: z.infer<typeof pluginSourceDraft>,
): Promise<z.infer<typeof pluginSourceDocument>> {
  if (credential === undefined) return { source }
  return { source, credential: await sealing.seal(credential, sealingContextOf(key)) }
}

/** Returns the allowed sources of an installation. Throws RECORD_DAMAGED and store errors. */
export async function listAllowedSources(
  documents: Pick<DocumentsPort, 'list'>,
): Promise<readonly AllowedSource[]> {
  const sources: AllowedSource[] = []
  for await (const document of readDocumentsOf(documents, 'plugin-source', '*'))
    sources.push({ ...parseDocumentValue(pluginSourceDocument, document), key: document.key })
  return sources
}

/**
 * Returns the allowed source with the longest pattern that matches the name of a source. Returns
 * undefined if no pattern matches.
 */
export function findAllowedSource(
  sources: readonly AllowedSource[],
  sourceName: string,
): AllowedSource | undefined {
  return sources
    .filter(({ source }) => matchesGlob(source, sourceName))
    .toSorted((a, b) => b.source.length - a.source.length)[0]
}

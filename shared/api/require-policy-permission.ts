import { createError } from '../errors/error.ts'
import type { DocumentsPort } from '../ports/documents.ts'
import type { StackId } from '../records/ids.ts'
import {
  attachedPolicyDocument,
  findAttachedPolicies,
} from '../runtime/policy-packs/attached-policies.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { readDocumentsOf } from '../triggers/read-documents.ts'
import { readTags, type StackTags } from '../triggers/stack-tags.ts'
import type { Caller } from './authorization.ts'

interface TagDeps {
  readonly documents: Pick<DocumentsPort, 'get' | 'list'>
}

/**
 * Requires that a caller may replace the tags of a stack. Only an administrator may change tags by
 * which attached policy packs select stacks, because other users could exclude a stack from a pack.
 * Throws API_FORBIDDEN.
 */
export async function requireTagPermission(
  deps: TagDeps,
  { caller, stack, tags }: { caller: Pick<Caller, 'role'>; stack: StackId; tags: StackTags },
): Promise<void> {
  if (caller.role === 'admin') return
  const oldTags = await readTags(deps, stack)
  for await (const stored of readDocumentsOf(deps.documents, 'stack-settings', '*')) {
    const { stacks } = parseDocumentValue(attachedPolicyDocument, stored)
    const changedName = Object.keys(stacks.tags).find(name => oldTags[name] !== tags[name])
    if (changedName !== undefined)
      throw createError(
        'API_FORBIDDEN',
        `the policy pack '${stored.key.name}' selects its stacks by the tag '${changedName}', so only an administrator may change the tag`,
      )
  }
}

/**
 * Requires that a caller may rename a stack. Only an administrator renames a stack with attached
 * policy packs, because the packs may not cover its new name. Throws API_FORBIDDEN.
 */
export async function requireRenamePermission(
  deps: TagDeps,
  { caller, stack }: { caller: Pick<Caller, 'role'>; stack: StackId },
): Promise<void> {
  if (caller.role === 'admin') return
  const [policy] = await findAttachedPolicies(deps, stack)
  if (policy === undefined) return
  throw createError(
    'API_FORBIDDEN',
    `the stack '${stack}' has the attached policy pack '${policy.name}', so only an administrator may rename it`,
  )
}

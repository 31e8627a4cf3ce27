import * as z from 'zod'
import { createError, messageOf } from '../../errors/error.ts'
import type { DocumentKey, DocumentsPort } from '../../ports/documents.ts'
import type { DeployInput } from '../../engine/request.ts'
import type { PolicyPackLocation } from '../../providers/analyzers/analyzer.ts'
import { archiveNameOf } from '../../records/archive-name.ts'
import { type BlobHash, type StackId, stackPartsOf } from '../../records/ids.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { readDocumentsOf } from '../../triggers/read-documents.ts'
import { stackSelectionForm } from '../../triggers/schedules/due-schedule.ts'
import { isCoveredBySharedSchedule } from '../../triggers/schedules/shared-schedule.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import type { ProgramFolders } from '../programs/program-folder.ts'

/** The stacks of an attached policy pack: those in `stacks`, and those of a selection. */
const policyStacksForm = stackSelectionForm.extend({
  stacks: z
    .array(z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be <project>/<stack>'))
    .max(100)
    .default([]),
})

/** A policy pack that an administrator attached to stacks. */
export const attachedPolicyDocument = z.strictObject({
  /** The SHA-256 of the packed folder. */
  archive: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an archive in hex')
    .transform(text => text as BlobHash),
  stacks: policyStacksForm.default({ projects: [], tags: {}, stacks: [] }),
})

/** The settings of an attached policy pack. */
export type AttachedPolicy = z.infer<typeof attachedPolicyDocument> & { readonly name: string }

/**
 * Returns the key of the document of an attached policy pack. Every document of the kind
 * `stack-settings` with the scope `*` is an attached policy pack.
 */
export function attachedPolicyKeyOf(name: string): DocumentKey {
  return { kind: 'stack-settings', scope: '*', name }
}

/**
 * Returns the id under which the store keeps the archive of an attached policy pack. No stack has
 * this id, so no program can replace the archive.
 */
export function policyArchiveOwnerOf(name: string): StackId {
  return `organization/*policies/${name}` as StackId
}

/** Returns the policy packs that are attached to a stack, ordered by name. */
export async function findAttachedPolicies(
  { documents }: { readonly documents: Pick<DocumentsPort, 'get' | 'list'> },
  stack: StackId,
): Promise<readonly AttachedPolicy[]> {
  const policies: AttachedPolicy[] = []
  for await (const stored of readDocumentsOf(documents, 'stack-settings', '*')) {
    const policy = parseDocumentValue(attachedPolicyDocument, stored)
    const { name } = stored.key
    if (await coversStack(documents, policy.stacks, stack)) policies.push({ name, ...policy })
  }
  return policies
}

/** Reports whether an attached policy pack covers a stack. */
async function coversStack(
  documents: Pick<DocumentsPort, 'get'>,
  { stacks, ...selection }: AttachedPolicy['stacks'],
  stack: StackId,
): Promise<boolean> {
  const { project, stack: name } = stackPartsOf(stack)
  const isSelective = selection.projects.length > 0 || Object.keys(selection.tags).length > 0
  // An empty selection covers all stacks, so it counts only if `stacks` is empty too.
  if (stacks.length > 0 && !isSelective) return stacks.includes(`${project}/${name}`)
  return (
    stacks.includes(`${project}/${name}`) ||
    isCoveredBySharedSchedule({ documents }, { stacks: selection }, stack)
  )
}

/**
 * Returns openers that add the attached policy packs to the requests that they return. The packs
 * are not options, so the sender of a request cannot omit them. Throws POLICY_PACK_FAILED for a
 * pack that cannot be opened.
 */
export function withAttachedPolicies(
  { open, reopen }: Pick<StackServerDeps, 'open' | 'reopen'>,
  deps: {
    readonly documents: Pick<DocumentsPort, 'get' | 'list'>
    readonly folders: ProgramFolders
  },
): Pick<StackServerDeps, 'open' | 'reopen'> {
  const addPacks = async (request: DeployInput): Promise<DeployInput> => {
    // Only `up` and its preview check resources with policies.
    if (request.options.command !== 'up') return request
    const policies = await findAttachedPolicies(deps, request.stack)
    if (policies.length === 0) return request
    const attachedPolicyPacks = await Promise.all(
      policies.map(policy => openPack(deps.folders, policy)),
    )
    return { ...request, attachedPolicyPacks }
  }
  return {
    open: async request => addPacks(await open(request)),
    reopen: async (deployment, pin) => addPacks(await reopen(deployment, pin)),
  }
}

async function openPack(
  folders: ProgramFolders,
  { name, archive }: AttachedPolicy,
): Promise<PolicyPackLocation> {
  const owner = policyArchiveOwnerOf(name)
  try {
    return { name, path: await folders.open(owner, archiveNameOf(owner, archive)) }
  } catch (cause) {
    throw createError(
      'POLICY_PACK_FAILED',
      `the policy pack '${name}', which is attached to the stack, cannot be opened: ${messageOf(cause)}`,
      { cause, hint: 'Attach the policy pack again, or detach it with `antichain policy detach`.' },
    )
  }
}

import * as z from 'zod'
import { limits } from '../../../shared/config/limits.ts'
import { defaultGroup } from '../../../shared/config/stack-groups.ts'
import type { DocumentKey } from '../../../shared/ports/documents.ts'
import { archiveNameOf } from '../../../shared/records/archive-name.ts'
import type { BlobHash, StackId } from '../../../shared/records/ids.ts'
import { requireGroup, requireGroupOfProject } from '../../../shared/runtime/groups/port-groups.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import {
  attachedPolicyDocument,
  attachedPolicyKeyOf,
  findAttachedPolicies,
  policyArchiveOwnerOf,
} from '../../../shared/runtime/policy-packs/attached-policies.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { archiveForm, uploadForm } from '../archive-forms.ts'
import { createUploadAddress, requireArchiveSize, storeUpload } from '../archive-uploads.ts'
import { createCollectionRoutes, documentNameOf } from '../collection-routes.ts'
import { type ApiPorts, defineRoute, stackOf } from '../../../shared/api/define-route.ts'
import { requireArchive } from '../require-archive.ts'

/** Routes of the policy packs that an administrator attaches to stacks. */
export const policyRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/policies/{name}/archives',
    role: 'admin',
    scope: 'installation',
    summary: 'Get the address to which a packed policy pack is uploaded by PUT',
    body: z.strictObject({ archive: archiveForm, bytes: z.int().min(1) }),
    output: uploadForm,
    run: async (ports, { params, body: { archive, bytes } }) => {
      requireArchiveSize(bytes, 'the policy pack')
      const name = documentNameOf(params)
      const url = `/v1/policies/${encodeURIComponent(name)}/archives/${archive}`
      const upload = { archive, bytes, url }
      return { json: await createUploadAddress(ports, policyArchiveOwnerOf(name), upload) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/policies/{name}/archives/{archive}',
    role: 'admin',
    scope: 'installation',
    summary: 'Upload the bytes of a packed policy pack',
    rawBody: { type: 'application/gzip', bytesMax: limits.archiveBytesMax },
    status: 201,
    output: z.object({ archive: z.string() }),
    run: (ports, { params, body }) => {
      const owner = policyArchiveOwnerOf(documentNameOf(params))
      return storeUpload(ports, owner, { archive: params['archive'], body })
    },
  }),
  ...createCollectionRoutes({
    path: '/v1/policies',
    scope: 'installation',
    noun: 'attached policy pack',
    readRole: 'admin',
    writeRole: 'admin',
    draft: attachedPolicyDocument,
    keyOf: params => attachedPolicyKeyOf(documentNameOf(params)),
    createValue: async (ports, { name }, draft) => {
      // The deployments of another group read other documents, so they would ignore the pack.
      const { stackGroups = [], stackGroup = defaultGroup } = ports
      for (const stack of draft.stacks.stacks)
        requireGroup(stackGroups, stackGroup, `organization/${stack}` as StackId)
      for (const project of draft.stacks.projects)
        requireGroupOfProject(stackGroups, stackGroup, project)
      await requireArchive(ports, policyArchiveOwnerOf(name), draft.archive)
      return draft
    },
    afterPut: keepPolicyArchive,
    show: stored => parseDocumentValue(attachedPolicyDocument, stored),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/policies',
    role: 'read',
    scope: 'stack',
    summary: 'List the policy packs that are attached to a stack',
    output: z.object({ items: z.array(z.object({ name: z.string(), archive: z.string() })) }),
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const policies = await findAttachedPolicies(ports, id)
      return { json: { items: policies.map(({ name, archive }) => ({ name, archive })) } }
    },
  }),
]

/**
 * Records the archive of an attached policy pack as a program, because the store removes archives
 * that no program names. A concurrent put may store another document meanwhile, so the archive of
 * the last document is recorded last.
 */
async function keepPolicyArchive(ports: ApiPorts, key: DocumentKey): Promise<void> {
  const owner = policyArchiveOwnerOf(key.name)
  const readArchive = async () => {
    const stored = await ports.documents.get(key)
    return stored === undefined
      ? undefined
      : parseDocumentValue(attachedPolicyDocument, stored).archive
  }
  let recordedArchive: BlobHash | undefined
  for (
    let archive = await readArchive();
    archive !== recordedArchive;
    archive = await readArchive()
  ) {
    if (archive === undefined) return
    await ports.requests.putProgram(owner, archiveNameOf(owner, archive))
    recordedArchive = archive
  }
}

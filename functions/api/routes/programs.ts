import * as z from 'zod'
import { limits } from '../../../shared/config/limits.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { archiveForm, uploadForm } from '../archive-forms.ts'
import { requireArchive } from '../require-archive.ts'
import { createUploadAddress, requireArchiveSize, storeUpload } from '../archive-uploads.ts'
import { defineRoute, stackOf } from '../../../shared/api/define-route.ts'

/**
 * Routes for uploading programs: packed folders that requests reference by their SHA-256. Edits
 * reference uploaded states in the same way.
 */
export const programRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/stacks/{project}/{stack}/programs',
    role: 'deploy',
    scope: 'stack',
    summary:
      'Get the address to which a packed program, or a state for an edit, is uploaded by PUT',
    body: z.strictObject({ archive: archiveForm, bytes: z.int().min(1) }),
    output: uploadForm,
    run: async (ports, { params, body: { archive, bytes } }) => {
      requireArchiveSize(bytes, 'the upload')
      const { id } = await requireStack(ports, stackOf(params))
      const { project, stack } = params
      const url = `/v1/stacks/${project}/${stack}/programs/${archive}`
      return { json: await createUploadAddress(ports, id, { archive, bytes, url }) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/stacks/{project}/{stack}/programs/{archive}',
    role: 'deploy',
    scope: 'stack',
    summary: 'Upload the bytes of a packed program, or of a state for an edit',
    rawBody: { type: 'application/gzip', bytesMax: limits.archiveBytesMax },
    status: 201,
    output: z.object({ archive: z.string() }),
    run: async (ports, { params, body }) => {
      const { id } = await requireStack(ports, stackOf(params))
      return storeUpload(ports, id, { archive: params['archive'], body })
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/stacks/{project}/{stack}/program',
    role: 'deploy',
    scope: 'stack',
    summary: 'Set the program of a stack, which webhooks and schedules deploy',
    body: z.strictObject({ archive: archiveForm }),
    output: z.object({ archive: z.string() }),
    run: async (ports, { params, body: { archive } }) => {
      const { id } = await requireStack(ports, stackOf(params))
      await ports.requests.putProgram(id, await requireArchive(ports, id, archive))
      return { json: { archive } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/program',
    role: 'read',
    scope: 'stack',
    summary: 'Get the archive that is the program of a stack',
    output: z.object({ archive: z.string().nullable() }),
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const archiveName = await ports.requests.getProgram(id)
      const archive =
        archiveName === undefined ? undefined : await ports.archives.readContentHash(archiveName)
      return { json: { archive: archive ?? null } }
    },
  }),
]

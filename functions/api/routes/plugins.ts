import { z } from 'zod'
import { limits } from '../../../shared/config/limits.ts'
import { error } from '../../../shared/errors/error.ts'
import { archiveForm, uploadForm } from '../archive-forms.ts'
import { type ApiPorts, defineRoute } from '../define-route.ts'

/** Sending plugins: archives of their folders, which every stack of the installation may use. */
export const pluginRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/plugins',
    role: 'admin',
    scope: 'installation',
    summary: 'Where the bytes of the archive of a plugin are sent by PUT',
    body: z.strictObject({
      archive: archiveForm,
      bytes: z.int().min(1).max(limits.archiveBytesMax),
    }),
    output: uploadForm,
    run: async (ports, { body: { archive, bytes } }) => {
      const { uploads } = requirePluginStore(ports)
      return { json: await uploads.createPluginAddress(archive, bytes) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/plugins/{kind}/{name}/{version}/{os}/{arch}',
    role: 'admin',
    scope: 'installation',
    summary: 'Make an archive that was sent a version of a plugin, for one kind of machine',
    body: z.strictObject({ archive: archiveForm }),
    output: z.object({ archive: z.string() }),
    run: async (ports, { params, body: { archive } }) => {
      const { kind = '', name = '', version = '', os = '', arch = '' } = params
      const { plugins } = requirePluginStore(ports)
      if (!(await plugins.nameArchive({ kind, name, version, os, arch }, archive)))
        throw error('PLUGIN_TAKEN', `${kind} plugin ${name} ${version} is another archive`)
      return { json: { archive } }
    },
  }),
]

/** Throws FEATURE_MISSING where plugins are those of the machine. */
function requirePluginStore({ uploads, plugins }: ApiPorts) {
  if (uploads !== undefined && plugins !== undefined) return { uploads, plugins }
  throw error('FEATURE_MISSING', 'this API keeps no plugins', {
    hint: 'Install the plugin on the machine that serves, as for Pulumi.',
  })
}

import * as z from 'zod'
import { limits } from '../../../shared/config/limits.ts'
import { createError } from '../../../shared/errors/error.ts'
import { listedPluginForm } from '../../../shared/runtime/plugins/listed-plugin.ts'
import { archiveForm, uploadForm } from '../archive-forms.ts'
import { type ApiPorts, defineRoute } from '../../../shared/api/define-route.ts'
import { createPageForm, pageQuery } from '../../../shared/api/pages.ts'

/**
 * Routes for plugins: archives of their folders, which every stack of the installation
 * may use.
 */
export const pluginRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/plugins',
    role: 'admin',
    scope: 'installation',
    summary: 'List the stored plugins; none where the plugins of the machine are used',
    query: z.object({ cursor: pageQuery.cursor }),
    output: createPageForm(listedPluginForm),
    run: async ({ plugins }, { query: { cursor } }) => {
      if (plugins === undefined) return { json: { items: [] } }
      const { plugins: items, next } = await plugins.list(cursor)
      return { json: { items, ...(next === undefined ? {} : { next }) } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/plugins',
    role: 'admin',
    scope: 'installation',
    summary: 'Get the address to which the archive of a plugin is uploaded by PUT',
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
    summary: 'Register an uploaded archive as a version of a plugin, for one platform',
    body: z.strictObject({ archive: archiveForm }),
    output: z.object({ archive: z.string() }),
    run: async (ports, { params, body: { archive } }) => {
      const { kind = '', name = '', version = '', os = '', arch = '' } = params
      const { plugins } = requirePluginStore(ports)
      if (!(await plugins.registerArchive({ kind, name, version, os, arch }, archive)))
        throw createError(
          'PLUGIN_TAKEN',
          `${kind} plugin ${name} ${version} exists with another archive`,
        )
      return { json: { archive } }
    },
  }),
]

/**
 * Returns the ports for plugins. Throws FEATURE_MISSING if the server uses the plugins of its
 * machine instead.
 */
export function requirePluginStore({ uploads, plugins }: ApiPorts) {
  if (uploads !== undefined && plugins !== undefined) return { uploads, plugins }
  throw createError('FEATURE_MISSING', 'this API does not store plugins', {
    hint: 'Install the plugin on the machine that runs the server, as for Pulumi.',
  })
}

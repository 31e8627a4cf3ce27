import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { isUrn } from '../../shared/names/urn.ts'
import type { ImportedResource } from '../../shared/records/imported-resource.ts'
import { containsPlaintextSecret } from '../../shared/state/plaintext-secrets.ts'
import type { Json } from '../../shared/state/stored.ts'

const text = z.string().max(apiLimits.urnCharsMax)
const urnOrNone = text.refine(value => value === '' || isUrn(value), 'must be a URN or empty')
/** Values without secrets in plaintext, because the request is stored as the client sends it. */
const sealedMapForm = z
  .record(z.string(), z.unknown())
  .refine(map => !containsPlaintextSecret(map as Json), 'must contain no secret in plaintext')
  .optional()

/** The resources that an import adopts; see `ImportedResource`. */
export const importsForm = z
  .array(
    z.strictObject({
      type: text.min(1),
      name: text.min(1),
      id: text,
      parent: urnOrNone,
      provider: urnOrNone,
      version: text,
      pluginDownloadUrl: text,
      protect: z.boolean(),
      isChosen: z.boolean(),
      component: z.enum(['no', 'local', 'remote']),
      inputs: sealedMapForm,
      outputs: sealedMapForm,
      providerInputs: sealedMapForm,
      parameterization: z
        .strictObject({ pluginName: text, pluginVersion: text, value: z.string() })
        .optional(),
      extension: z.strictObject({ name: text, version: text, value: z.string() }).optional(),
    }),
  )
  .min(1)
  .max(apiLimits.importsMax)
  .transform(imports => imports as unknown as readonly ImportedResource[])

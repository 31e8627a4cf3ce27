import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { GenerateProjectResponse } from '../../proto/gen/pulumi/language.ts'

/** A request to a converter, in the order of the numbers of its fields. */
export interface ConvertProgramRequest {
  readonly sourceDirectory: string
  readonly targetDirectory: string
  readonly mapperTarget: string
  readonly loaderTarget: string
  readonly args: readonly string[]
  readonly generatedProjectDirectory: string
}

/**
 * The method of Pulumi's service `Converter` that translates a program. Its answer has the form of
 * `GenerateProjectResponse`: a list of diagnostics as field 1.
 */
export const convertProgramMethod = {
  path: '/pulumirpc.Converter/ConvertProgram',
  requestStream: false,
  responseStream: false,
  requestSerialize: encodeRequest,
  requestDeserialize: decodeRequest,
  responseSerialize: (value: GenerateProjectResponse): Buffer =>
    Buffer.from(GenerateProjectResponse.encode(value).finish()),
  responseDeserialize: (bytes: Buffer): GenerateProjectResponse =>
    GenerateProjectResponse.decode(bytes),
} as const

/** The wire type of texts. */
const lengthDelimited = 2

function encodeRequest(request: ConvertProgramRequest): Buffer {
  const writer = new BinaryWriter()
  for (const [index, field] of toFields(request).entries())
    for (const text of field) writer.tag(index + 1, lengthDelimited).string(text)
  return Buffer.from(writer.finish())
}

function decodeRequest(bytes: Buffer): ConvertProgramRequest {
  const reader = new BinaryReader(bytes)
  const fields: string[][] = [[], [], [], [], [], []]
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const field = fields[number - 1]
    if (field === undefined || wireType !== lengthDelimited) reader.skip(wireType)
    else field.push(reader.string())
  }
  const [source, target, mapper, loader, args = [], project] = fields
  return {
    sourceDirectory: source?.at(-1) ?? '',
    targetDirectory: target?.at(-1) ?? '',
    mapperTarget: mapper?.at(-1) ?? '',
    loaderTarget: loader?.at(-1) ?? '',
    args,
    generatedProjectDirectory: project?.at(-1) ?? '',
  }
}

/** Returns the texts of each field, in the order of the numbers. */
function toFields(request: ConvertProgramRequest): readonly (readonly string[])[] {
  const { sourceDirectory, targetDirectory, mapperTarget, loaderTarget } = request
  return [
    [sourceDirectory],
    [targetDirectory],
    [mapperTarget],
    [loaderTarget],
    request.args,
    [request.generatedProjectDirectory],
  ]
}

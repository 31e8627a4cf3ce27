import { Tags } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import { awsTags } from '../../shared/config/aws-resource-names.ts'

/** Creates a group of constructs, tagged so that bills show its cost. */
export function createPart(scope: Construct, id: string): Construct {
  const group = new Construct(scope, id)
  Tags.of(group).add(awsTags.part, id)
  return group
}

import { openAws } from '../surroundings/aws.ts'
import { tidyUp } from './tidy-up.ts'

const aws = openAws(process.env)

/** Compaction as its schedule calls it. What a deployment came to its generator folds itself. */
export const handler = async (): Promise<{ readonly nudged: number }> => {
  const { looked } = await tidyUp(aws, process.env)
  return { nudged: looked.nudged.length }
}

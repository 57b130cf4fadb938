// Requests over the bus. Every listener receives a request, and the listener that it concerns answers.
import { randomUUID } from 'node:crypto'
import { asFailure, Failure, type FailureJson } from '../model/failures.ts'
import type { Bus } from '../ports/bus.ts'

interface Question {
  ask: string
  question: unknown
}

interface Reply {
  value?: unknown
  failure?: FailureJson
}

/** Sends a request and resolves with the answer. Rejects with the failure in the answer, or with the failure that
 *  `noAnswer` returns if no answer arrives in time. */
export async function askBus<Answer>(
  bus: Bus,
  topic: string,
  question: unknown,
  { withinMs, noAnswer }: { withinMs: number; noAnswer: () => Failure },
): Promise<Answer> {
  const ask = randomUUID()
  const answer = Promise.withResolvers<Answer>()
  const late = setTimeout(() => answer.reject(noAnswer()), withinMs)
  const stop = await bus.subscribe(`answer.${ask}`, text => {
    const { value, failure } = JSON.parse(text) as Reply
    if (failure) answer.reject(Failure.from(failure))
    else answer.resolve(value as Answer)
  })
  try {
    await bus.publish(topic, JSON.stringify({ ask, question } satisfies Question))
    return await answer.promise
  } finally {
    clearTimeout(late)
    stop()
  }
}

/** Answers requests on a topic. `answer` returns undefined for requests that other listeners must answer. */
export function answerBus<Asked>(
  bus: Bus,
  topic: string,
  answer: (question: Asked) => Promise<unknown> | undefined,
): Promise<() => void> {
  return bus.subscribe(topic, text => {
    const { ask, question } = JSON.parse(text) as Question
    const reply = (said: Reply) => void bus.publish(`answer.${ask}`, JSON.stringify(said)).catch(() => {})
    answer(question as Asked)?.then(
      value => reply({ value: value ?? null }),
      error => reply({ failure: asFailure(error).toJSON() }),
    )
  })
}

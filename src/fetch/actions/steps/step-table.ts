// What a step of each type does: the type of the tables that the files beside this one fill.
import type { ActionOf, ActionType } from '../../../model/page/actions.ts'
import type { ActionRun, Step } from '../run.ts'

export type DoStep<Type extends ActionType> = (
  run: ActionRun,
  action: ActionOf<Type>,
  step: Step,
) => Promise<void>

export type StepTable<Types extends ActionType = ActionType> = { readonly [Type in Types]: DoStep<Type> }

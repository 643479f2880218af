import { type Operations, text } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function scheduleRoutes({ bind, bindPage }: Operations, { schedule }: RouteDeps): void {
  bindPage("listSchedule", async ({ user, query }, range) =>
    sliceOf(await schedule.list(user, query), range),
  );

  bindPage("listMySchedule", async ({ caller }, range) =>
    sliceOf(await schedule.entries(caller.userId), range),
  );

  bind("getScheduleCalendar", async ({ user }) =>
    text("text/calendar; charset=utf-8", await schedule.calendar(user)),
  );

  bind("createScheduleEntry", ({ caller, body, idempotencyKey }) =>
    schedule.add(caller.userId, body, idempotencyKey),
  );

  bind("updateScheduleEntry", ({ caller, params, body }) =>
    schedule.change(caller.userId, params.entry_id, body),
  );

  bind("deleteScheduleEntry", ({ caller, params }) => schedule.remove(caller.userId, params.entry_id));
}

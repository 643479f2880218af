import { expect } from "chai";
import { createValidation } from "../../../api/http/validate.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";

const document = readOpenApi();
const { operation } = operationsOf(document).find((one) => one.operation.operationId === "placeBet") ?? {};

describe("details of errors", () => {
  const check = operation && createValidation(document).responseCheck(operation);
  const complaints = (code: string, status: number, details?: object) =>
    check?.(status, { code, message: "No.", ...(details ? { details } : {}) }).length;

  it("have the form of their code, in answers", () => {
    expect(complaints("insufficient_points", 409, { balance: 5 })).equal(0);
    expect(complaints("insufficient_points", 409, { balance: "5" })).above(0);
    expect(complaints("insufficient_points", 409)).above(0);
    expect(complaints("insufficient_points", 409, { balance: 5, password: "x" })).above(0);
    expect(complaints("stake_limit", 409, { balance: 5 })).above(0);
    expect(complaints("rate_limited", 429, { bucket: "default" }), "no time to wait").above(0);
  });

  it("are absent where the code says all", () => {
    expect(complaints("forbidden", 403, {})).above(0);
    expect(complaints("own_prediction", 403)).equal(0);
    expect(complaints("own_prediction", 403, {})).above(0);
  });

  it("don't compile where they don't fit", () => {
    expect(new ServiceError("insufficient_points", { balance: 5 }).envelope().details).deep.equal({
      balance: 5,
    });
    // @ts-expect-error of another code
    expect(new ServiceError("insufficient_points", { staked: 5 }).code).equal("insufficient_points");
    // @ts-expect-error of another type
    expect(new ServiceError("insufficient_points", { balance: "5" }).code).equal("insufficient_points");
    // @ts-expect-error a code without any
    expect(new ServiceError("own_prediction", {}).code).equal("own_prediction");
  });
});
